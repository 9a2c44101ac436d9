#include "google/api/client.h"

#include "kinetic/try.h"

#include "google/api/services.h"
#include "google/error.h"
#include "http/body.h"
#include "http/retry.h"
#include "http/url.h"
#include "json/document.h"

#include <chrono>
#include <memory>
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

Status ApiClient::ForEachPage(const std::string& service, const std::string& path,
                              const PageSink& take, const std::stop_token& stop) const {
  std::string token;
  do {
    KINETIC_ASSIGN_OR_RETURN(const Value page,
                             Send({.service = service, .path = PagePath(path, token)}, stop));
    KINETIC_RETURN_IF_ERROR(take(page));
    token = json::TextAt(page, "nextPageToken");
  } while (!token.empty());
  return {};
}

Result<std::vector<Value>> ApiClient::List(const std::string& service, const std::string& path,
                                           const std::string& key,
                                           const std::stop_token& stop) const {
  std::vector<Value> items;
  const auto take = [&](const Value& page) -> Status {
    json::ObjectReader reader(page, key);
    for (const Value& item : reader.List(key)) items.push_back(item);
    return {};
  };
  KINETIC_RETURN_IF_ERROR(ForEachPage(service, path, take, stop));
  return items;
}

}  // namespace kinetic::google
