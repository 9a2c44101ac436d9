#include "google/cloud_build/client.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "base/strings.h"
#include "google/cloud_build/build.h"
#include "google/error.h"
#include "http/page_guard.h"
#include "json/document.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kinetic::google {
namespace {

constexpr Service kBuildService{"cloudbuild.googleapis.com",
                                "ask for roles/cloudbuild.builds.editor in the project"};

constexpr std::string_view kPageSize = "100";

Error ToBuildError(const http::Request& request, const http::Response& response) {
  return ToError(kBuildService, request, response);
}

http::Request JsonRequest(std::string method, std::string url, const Value& body) {
  http::Request request;
  request.method = std::move(method);
  request.url = std::move(url);
  request.headers = {{"Content-Type", "application/json; charset=UTF-8"},
                     {"Accept", "application/json"}};
  request.body = std::make_shared<http::BytesBody>(body.ToJson());
  return request;
}

http::Request GetRequest(std::string url) {
  http::Request request;
  request.url = std::move(url);
  request.headers = {{"Accept", "application/json"}};
  return request;
}

Result<Value> ParseJson(const http::Request& request, const http::Response& response) {
  if (response.status / 100 != 2) return Failure(ToBuildError(request, response));
  auto value = Value::FromJson(response.body);
  if (value && value->AsMap() != nullptr) return value;
  return Fail(ErrorCode::kUnavailable,
              request.method + " " + request.url + ": the response is not JSON",
              "check the proxy settings");
}

/// Returns the build that an operation refers to.
Result<Build> BuildOf(const Value& operation) {
  const Value* metadata = operation.Find("metadata");
  const Value* build = metadata != nullptr ? metadata->Find("build") : nullptr;
  if (build != nullptr) return ParseBuild(*build);
  return Fail(ErrorCode::kUnavailable, "Cloud Build did not return the build that it created");
}

/// The result of one request to create a build.
struct CreateAttempt {
  Result<Build> build;
  bool is_final = true;  ///< false: a build may have been created
  std::optional<std::chrono::milliseconds> pause = {};
};

CreateAttempt EvaluateAttempt(const http::Request& request,
                              const Result<http::Response>& response) {
  if (!response) {
    const bool retryable = http::IsRetryable(response.error(), http::Idempotency::kIdempotent);
    return {Failure(response.error()), !retryable};
  }
  const auto answer = ParseJson(request, *response);
  const bool succeeded = response->status / 100 == 2;
  if (!succeeded || !answer) {
    const bool is_final = !http::IsRetryable(*response) && !succeeded;
    return {Failure(answer.error()), is_final, http::RetryAfter(*response)};
  }
  auto build = BuildOf(*answer);
  const bool is_final = build.has_value();
  return {std::move(build), is_final};
}

}  // namespace

CloudBuild::CloudBuild(http::Transport& transport, Clock& clock, CloudBuildOptions options)
    : transport_(&transport), clock_(&clock), options_(std::move(options)) {}

http::Url CloudBuild::Builds() const {
  return http::Url(options_.endpoint)
      .Raw("/v1/projects")
      .Part(options_.project)
      .Raw("/locations")
      .Part(options_.region)
      .Raw("/builds");
}

Result<Value> CloudBuild::SendJson(const http::Request& request, std::stop_token stop) const {
  const http::RetryingClient client(*transport_, &ToBuildError, options_.retry, *clock_);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           client.Send(request, http::Idempotency::kIdempotent, std::move(stop)));
  return ParseJson(request, response);
}

std::string CloudBuild::NewCallTag() { return "kinetic-call-" + RandomId(); }

Result<Build> CloudBuild::Create(const BuildConfig& config, const std::string& call_tag,
                                 std::stop_token stop) const {
  BuildConfig tagged = config;
  tagged.tags.push_back(call_tag);
  const http::Request request = JsonRequest("POST", Builds().Text(), ToValue(tagged));
  http::Backoff backoff(options_.retry, *clock_);
  for (;;) {
    CreateAttempt attempt = EvaluateAttempt(request, transport_->Send(request, stop));
    if (attempt.build || attempt.is_final) return std::move(attempt.build);
    KINETIC_RETURN_IF_ERROR(backoff.Wait(attempt.build.error(), attempt.pause, stop));
    KINETIC_ASSIGN_OR_RETURN(auto ours, List(call_tag, stop));
    if (!ours.empty()) return std::move(ours.front());
  }
}

Result<Build> CloudBuild::Get(const std::string& id, std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(const Value value,
                           SendJson(GetRequest(Builds().Part(id).Text()), std::move(stop)));
  return ParseBuild(value);
}

Result<std::vector<Build>> CloudBuild::List(const std::string& tag, std::stop_token stop) const {
  std::vector<Build> builds;
  http::PageGuard guard("listing the builds of " + options_.project);
  std::string page;
  for (;;) {
    http::Url url = Builds();
    url.Query("filter", "tags=\"" + tag + "\"").Query("pageSize", kPageSize);
    if (!page.empty()) url.Query("pageToken", page);
    KINETIC_ASSIGN_OR_RETURN(const Value answer, SendJson(GetRequest(url.Text()), stop));
    json::ObjectReader reader(answer, "builds");
    const auto& listed = reader.List("builds");
    for (const Value& value : listed) {
      KINETIC_ASSIGN_OR_RETURN(Build build, ParseBuild(value));
      // Substitutes of the service may ignore filters.
      if (std::ranges::find(build.tags, tag) != build.tags.end()) {
        builds.push_back(std::move(build));
      }
    }
    page = reader.OptionalString("nextPageToken").value_or("");
    if (page.empty()) return builds;
    KINETIC_RETURN_IF_ERROR(guard.Check(page, listed.empty()));
  }
}

Result<std::vector<Build>> CloudBuild::ListOngoing(const std::string& tag,
                                                   std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(auto builds, List(tag, std::move(stop)));
  std::erase_if(builds, [](const Build& build) { return IsTerminal(build.status); });
  std::ranges::sort(builds, [](const Build& a, const Build& b) {
    return std::tie(a.created, a.id) < std::tie(b.created, b.id);
  });
  return builds;
}

Status CloudBuild::Cancel(const std::string& id, std::stop_token stop) const {
  const http::Request request =
      JsonRequest("POST", Builds().Part(id).Text() + ":cancel", Value(Value::Map{}));
  const auto answer = SendJson(request, std::move(stop));
  const bool has_finished = !answer && answer.error().code == ErrorCode::kFailedPrecondition;
  if (answer || has_finished) return {};
  return Failure(answer.error());
}

}  // namespace kinetic::google
