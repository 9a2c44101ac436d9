#include "google/cloud_build/client.h"

#include "base/random.h"
#include "base/strings.h"
#include "base/try.h"
#include "google/cloud_build/build.h"
#include "google/error.h"
#include "json/reader.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace kinetic::google {
namespace {

constexpr Service kBuildService{"cloudbuild.googleapis.com",
                                "ask for roles/cloudbuild.builds.editor in the project"};

constexpr std::string_view kPageSize = "100";

Error ErrorOf(const http::Request& request, const http::Response& response) {
  return ErrorFrom(kBuildService, request, response);
}

http::Request WithJson(std::string method, std::string url, const Value& body) {
  http::Request request;
  request.method = std::move(method);
  request.url = std::move(url);
  request.headers = {{"Content-Type", "application/json; charset=UTF-8"},
                     {"Accept", "application/json"}};
  request.body = std::make_shared<http::BytesBody>(body.ToJson());
  return request;
}

http::Request Getting(std::string url) {
  http::Request request;
  request.url = std::move(url);
  request.headers = {{"Accept", "application/json"}};
  return request;
}

Result<Value> JsonIn(const http::Request& request, const http::Response& response) {
  if (response.status / 100 != 2) return Failure(ErrorOf(request, response));
  auto value = Value::FromJson(response.body);
  if (value && value->AsMap() != nullptr) return value;
  return Fail(ErrorCode::kUnavailable, request.method + " " + request.url + ": it is no JSON",
              "check the proxy settings");
}

/// What an operation that was begun says of its build.
Result<Build> BuildOf(const Value& operation) {
  const Value* metadata = operation.Find("metadata");
  const Value* build = metadata != nullptr ? metadata->Find("build") : nullptr;
  if (build != nullptr) return BuildFrom(*build);
  return Fail(ErrorCode::kUnavailable, "Cloud Build does not say which build it began");
}

/// What came of asking for a build once.
struct Begun {
  Result<Build> build;
  bool is_sure = true;  ///< whether nothing was begun where there is no build
  std::optional<std::chrono::milliseconds> pause = {};
};

Begun Judge(const http::Request& request, const Result<http::Response>& response) {
  if (!response) {
    const bool retryable = http::IsRetryable(response.error(), http::Idempotency::kIdempotent);
    return {Failure(response.error()), !retryable};
  }
  const auto answer = JsonIn(request, *response);
  const bool was_taken = response->status / 100 == 2;
  if (!was_taken || !answer) {
    const bool is_final = !http::IsRetryable(*response) && !was_taken;
    return {Failure(answer.error()), is_final, http::RetryAfter(*response)};
  }
  auto build = BuildOf(*answer);
  const bool is_sure = build.has_value();
  return {std::move(build), is_sure};
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

Result<Value> CloudBuild::Ask(const http::Request& request, std::stop_token stop) const {
  const http::RetryingClient client(*transport_, &ErrorOf, options_.retry, *clock_);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           client.Send(request, http::Idempotency::kIdempotent, std::move(stop)));
  return JsonIn(request, response);
}

std::string CloudBuild::NewMark() { return "kinetic-call-" + RandomId(); }

Result<Build> CloudBuild::Create(const BuildOrder& order, const std::string& mark,
                                 std::stop_token stop) const {
  BuildOrder marked = order;
  marked.tags.push_back(mark);
  const http::Request request = WithJson("POST", Builds().Text(), ToValue(marked));
  http::Backoff backoff(options_.retry, *clock_);
  for (;;) {
    Begun begun = Judge(request, transport_->Send(request, stop));
    if (begun.build || begun.is_sure) return std::move(begun.build);
    KINETIC_RETURN_IF_ERROR(backoff.Wait(begun.build.error(), begun.pause, stop));
    KINETIC_ASSIGN_OR_RETURN(auto ours, List(mark, stop));
    if (!ours.empty()) return std::move(ours.front());
  }
}

Result<Build> CloudBuild::Get(const std::string& id, std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(const Value value,
                           Ask(Getting(Builds().Part(id).Text()), std::move(stop)));
  return BuildFrom(value);
}

Result<std::vector<Build>> CloudBuild::List(const std::string& tag, std::stop_token stop) const {
  std::vector<Build> builds;
  std::string page;
  do {
    http::Url url = Builds();
    url.Query("filter", "tags=\"" + tag + "\"").Query("pageSize", kPageSize);
    if (!page.empty()) url.Query("pageToken", page);
    KINETIC_ASSIGN_OR_RETURN(const Value answer, Ask(Getting(url.Text()), stop));
    json::ObjectReader reader(answer, "builds");
    for (const Value& value : reader.List("builds")) {
      KINETIC_ASSIGN_OR_RETURN(Build build, BuildFrom(value));
      // Who stands in for the service may not know filters.
      if (std::ranges::find(build.tags, tag) != build.tags.end()) {
        builds.push_back(std::move(build));
      }
    }
    page = reader.OptionalString("nextPageToken").value_or("");
  } while (!page.empty());
  return builds;
}

Result<std::vector<Build>> CloudBuild::Ongoing(const std::string& tag, std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(auto builds, List(tag, std::move(stop)));
  std::erase_if(builds, [](const Build& build) { return HasEnded(build.status); });
  std::ranges::sort(builds, [](const Build& a, const Build& b) {
    return std::tie(a.created, a.id) < std::tie(b.created, b.id);
  });
  return builds;
}

Status CloudBuild::Cancel(const std::string& id, std::stop_token stop) const {
  const http::Request request =
      WithJson("POST", Builds().Part(id).Text() + ":cancel", Value(Value::Map{}));
  const auto answer = Ask(request, std::move(stop));
  const bool has_ended = !answer && answer.error().code == ErrorCode::kFailedPrecondition;
  if (answer || has_ended) return {};
  return Failure(answer.error());
}

}  // namespace kinetic::google
