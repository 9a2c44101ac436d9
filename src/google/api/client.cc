#include "google/api/client.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "google/api/services.h"
#include "google/error.h"
#include "http/body.h"
#include "http/page_guard.h"
#include "http/retry.h"
#include "http/url.h"
#include "json/document.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <string_view>
#include <utility>

namespace kinetic::google {
namespace {

constexpr http::RetryPolicy kRetry{.max_attempts = 7,
                                   .cap = std::chrono::milliseconds{4'000},
                                   .budget = std::chrono::milliseconds{60'000},
                                   .service = "Google Cloud"};

Error ToApiError(const http::Request& request, const http::Response& response) {
  return ToError(ServiceOfUrl(request.url), request, response);
}

/// Returns the path of the next page.
std::string PagePath(const std::string& path, const std::string& token) {
  if (token.empty()) return path;
  const char separator = path.find('?') == std::string::npos ? '?' : '&';
  return path + separator + "pageToken=" + http::PercentEncode(token);
}

bool IsEmptyPage(const Value& page) {
  const auto* fields = page.AsMap();
  return fields == nullptr || std::ranges::none_of(*fields, [](const auto& field) {
           const auto* list = field.second.AsList();
           const auto* map = field.second.AsMap();
           return (list != nullptr && !list->empty()) || (map != nullptr && !map->empty());
         });
}

/// Returns what an incomplete list lacks: "us-east1-b", or "".
///
/// @source  https://google.aip.dev/217
std::string MissingFrom(const Value& page) {
  for (const std::string_view key : {"missingZones", "unreachable", "unreachables"}) {
    const Value* places = page.Find(key);
    if (places == nullptr || places->AsList() == nullptr || places->AsList()->empty()) continue;
    const std::string* first = places->AsList()->front().AsString();
    return first != nullptr ? Printable(*first) : std::string("some locations");
  }
  return "";
}

}  // namespace

ApiClient::ApiClient(http::Transport& transport, Clock& clock, std::string endpoint)
    : transport_(&transport), clock_(&clock), endpoint_(std::move(endpoint)) {
  while (endpoint_.ends_with('/')) endpoint_.pop_back();
}

std::string ApiClient::UrlOf(const ApiRequest& request) const {
  const std::string base = endpoint_.empty() ? "https:/" : endpoint_;
  return base + "/" + request.service + request.path;
}

Result<Value> ApiClient::Send(const ApiRequest& request, std::stop_token stop) const {
  http::Request message;
  message.method = request.method;
  message.url = UrlOf(request);
  message.headers = {{"Accept", "application/json"}};
  if (!request.body.IsNull()) {
    message.headers.Set("Content-Type", "application/json; charset=UTF-8");
    message.body = std::make_shared<http::BytesBody>(request.body.ToJson());
  }
  const http::RetryingClient client(*transport_, &ToApiError, kRetry, *clock_);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           client.Send(message, http::Idempotency::kIdempotent, std::move(stop)));
  if (response.status / 100 != 2) return Failure(ToApiError(message, response));
  if (response.body.empty()) return Value(Value::Map{});
  auto value = Value::FromJson(response.body);
  if (value && value->AsMap() != nullptr) return value;
  return Fail(ErrorCode::kUnavailable,
              message.method + " " + message.url + ": the response is not JSON",
              "check the proxy settings");
}

Result<std::optional<Value>> ApiClient::Find(const std::string& service, const std::string& path,
                                             std::stop_token stop) const {
  auto value = Send({.service = service, .path = path}, std::move(stop));
  if (value) return std::optional(std::move(*value));
  if (value.error().code == ErrorCode::kNotFound) return std::nullopt;
  return Failure(std::move(value).error());
}

void ApiClient::SetProject(const std::string& id, const std::string& number) {
  project_ = id;
  project_number_ = number;
}

bool ApiClient::IsApiDisabled(const Error& error) const {
  const std::string_view consumer = DetailOf(error, kDisabledIn);
  const std::string_view project = consumer.substr(consumer.find('/') + 1);
  return !project.empty() && (project == project_ || project == project_number_);
}

Status ApiClient::CheckNothingExists(Error error, std::stop_token stop) const {
  if (!IsApiDisabled(error)) return Failure(std::move(error));
  const std::string name(DetailOf(error, kDisabledService));
  const auto service =
      Send({.service = std::string(kServiceUsage),
            .path = "/v1/projects/" + http::PercentEncode(project_) + "/services/" + name},
           std::move(stop));
  if (service && json::TextAt(*service, "state") == "DISABLED") return {};
  if (service)
    error.hint = name + " is enabled, but does not respond yet: try again in a few minutes";
  return Failure(std::move(error));
}

Result<std::optional<Value>> ApiClient::FindCreated(const std::string& service,
                                                    const std::string& path,
                                                    std::stop_token stop) const {
  auto found = Find(service, path, stop);
  if (found) return found;
  KINETIC_RETURN_IF_ERROR(CheckNothingExists(std::move(found).error(), std::move(stop)));
  return std::nullopt;
}

Status ApiClient::ForEachPage(const std::string& service, const std::string& path,
                              const PageSink& take, const std::stop_token& stop) const {
  http::PageGuard guard("GET " + UrlOf({.service = service, .path = path}));
  std::string token;
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const Value page,
                             Send({.service = service, .path = PagePath(path, token)}, stop));
    if (const std::string missing = MissingFrom(page); !missing.empty())
      return Fail(ErrorCode::kUnavailable,
                  "GET " + UrlOf({.service = service, .path = path}) +
                      ": the list is incomplete, because " + missing + " did not respond",
                  "try again later");
    KINETIC_RETURN_IF_ERROR(take(page));
    token = json::TextAt(page, "nextPageToken");
    if (token.empty()) return {};
    KINETIC_RETURN_IF_ERROR(guard.Check(token, IsEmptyPage(page)));
  }
}

Result<std::vector<Value>> ApiClient::List(const std::string& service, const std::string& path,
                                           const std::string& key,
                                           const std::stop_token& stop) const {
  std::vector<Value> items;
  const auto take = [&](const Value& page) -> Status {
    json::ObjectReader reader(page, key);
    for (const Value& item : reader.List(key)) items.push_back(item);
    return reader.Finish();
  };
  KINETIC_RETURN_IF_ERROR(ForEachPage(service, path, take, stop));
  return items;
}

}  // namespace kinetic::google
