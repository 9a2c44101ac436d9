#include "google/error.h"

#include "kinetic/value.h"

#include "base/strings.h"
#include "google/advice.h"
#include "http/url.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace kinetic::google {
namespace {

struct Row {
  std::int64_t status;
  ErrorCode code;
};
constexpr std::array<Row, 6> kRows{{{400, ErrorCode::kInvalidArgument},
                                    {401, ErrorCode::kUnauthenticated},
                                    {403, ErrorCode::kPermissionDenied},
                                    {404, ErrorCode::kNotFound},
                                    {409, ErrorCode::kAlreadyExists},
                                    {429, ErrorCode::kResourceExhausted}}};

std::string TextIn(const Value* map, std::string_view key) {
  const Value* member = map != nullptr ? map->Find(key) : nullptr;
  const std::string* text = member != nullptr ? member->AsString() : nullptr;
  return text != nullptr ? *text : "";
}

/// The fields of an error response that are used.
struct ErrorBody {
  bool is_document = false;  ///< the response is an error of the API
  std::string message;
  std::string status;    ///< "FAILED_PRECONDITION"
  std::string reason;    ///< of google.rpc.ErrorInfo: "SERVICE_DISABLED"
  std::string consumer;  ///< of the ErrorInfo: "projects/123"
  std::string service;   ///< of the ErrorInfo: "compute.googleapis.com"
};

ErrorBody Read(const http::Response& response) {
  ErrorBody body;
  const auto parsed = Value::FromJson(response.body);
  const Value* error = parsed ? parsed->Find("error") : nullptr;
  body.is_document = error != nullptr && error->AsMap() != nullptr;
  body.message = TextIn(error, "message");
  body.status = TextIn(error, "status");
  const Value* details = error != nullptr ? error->Find("details") : nullptr;
  if (details == nullptr || details->AsList() == nullptr) return body;
  for (const Value& detail : *details->AsList()) {
    if (!TextIn(&detail, "@type").ends_with("google.rpc.ErrorInfo")) continue;
    body.reason = TextIn(&detail, "reason");
    body.consumer = TextIn(detail.Find("metadata"), "consumer");
    body.service = TextIn(detail.Find("metadata"), "service");
  }
  return body;
}

/// Credentials of users need a project for their quota. The reason is SERVICE_DISABLED here too.
bool NeedsQuotaProject(const ErrorBody& body) {
  return body.message.find("requires a quota project") != std::string::npos;
}

bool IsDisabled(const http::Response& response, const ErrorBody& body) {
  return response.status == 403 && !NeedsQuotaProject(body) &&
         (body.reason == "SERVICE_DISABLED" ||
          response.body.find("SERVICE_DISABLED") != std::string::npos);
}

bool LacksQuotaInRegion(const ErrorBody& body) {
  return body.message.find("quota restrictions") != std::string::npos;
}

/// Returns the project's number, or "" if the response does not contain it.
std::string ProjectOf(const ErrorBody& body) {
  constexpr std::string_view kProjects = "projects/";
  return body.consumer.starts_with(kProjects) ? body.consumer.substr(kProjects.size()) : "";
}

/// Returns the service that is not enabled. The one that was called may need another one.
std::string DisabledService(const Service& service, const ErrorBody& body) {
  return body.service.empty() ? std::string(service.name) : body.service;
}

std::string HintFor(const Service& service, const http::Response& response, const ErrorBody& body) {
  if (response.status == 401) return "log in again: gcloud auth application-default login";
  if (body.message.find("Billing must be enabled") != std::string::npos ||
      body.message.find("billing to be enabled") != std::string::npos ||
      body.message.find("billing account for the owning project is disabled") !=
          std::string::npos) {
    return "link a billing account: https://console.cloud.google.com/billing/projects";
  }
  if (LacksQuotaInRegion(body)) return "use another region, or request quota there";
  if (response.status == 429) return "the project's quota is exhausted: try again later";
  if (MustActAs(body.message))
    return "ask for roles/iam.serviceAccountUser on that service account";
  if (std::string advice = AdviceFor(body.message); !advice.empty()) return advice;
  if (response.status != 403) return "";
  if (NeedsQuotaProject(body)) return "specify your project: --quota-project PROJECT";
  if (body.reason == kQuotaProjectDenied)
    return "ask for roles/serviceusage.serviceUsageConsumer in project " + ProjectOf(body) +
           ", or specify another one with --quota-project";
  if (IsDisabled(response, body)) {
    const std::string project = ProjectOf(body);
    return "gcloud services enable " + DisabledService(service, body) +
           (project.empty() ? "" : " --project=" + project);
  }
  return std::string(service.permission_hint);
}

/// The service's own message is long, and repeats the hint.
std::string DisabledText(const Service& service, const ErrorBody& body) {
  const std::string project = ProjectOf(body);
  return DisabledService(service, body) + " is not enabled in " +
         (project.empty() ? "the project" : "project " + project);
}

std::string MessageFor(const Service& service, const http::Request& request,
                       const http::Response& response, const ErrorBody& body) {
  if (IsDisabled(response, body)) return DisabledText(service, body);
  return request.method + " " + http::RedactedUrl(request.url).Text() + ": " +
         std::to_string(response.status) +
         (body.message.empty() ? "" : " " + Printable(body.message));
}

}  // namespace

std::string_view DetailOf(const Error& error, std::string_view key) {
  const auto found =
      std::ranges::find(error.details, key, &std::pair<std::string, std::string>::first);
  return found != error.details.end() ? found->second : std::string_view();
}

ErrorCode CodeOfStatus(std::int64_t status) {
  const auto* const row = std::ranges::find(kRows, status, &Row::status);
  return row != kRows.end() ? row->code : ErrorCode::kUnavailable;
}

Error ToError(const Service& service, const http::Request& request,
              const http::Response& response) {
  const ErrorBody body = Read(response);
  Error error;
  error.code = CodeOfStatus(response.status);
  if (response.status == 404 && !body.is_document) error.code = ErrorCode::kUnavailable;
  if (body.status == "ABORTED") error.code = ErrorCode::kAborted;
  if (body.status == "FAILED_PRECONDITION") error.code = ErrorCode::kFailedPrecondition;
  if (LacksQuotaInRegion(body) || LacksQuota(body.message))
    error.code = ErrorCode::kResourceExhausted;
  error.message = MessageFor(service, request, response, body);
  error.hint = HintFor(service, response, body);
  error.details.emplace_back("status", std::to_string(response.status));
  if (IsDisabled(response, body)) {
    error.details.emplace_back("reason", "SERVICE_DISABLED");
    error.details.emplace_back(kDisabledService, DisabledService(service, body));
    if (!body.consumer.empty()) error.details.emplace_back(kDisabledIn, body.consumer);
  } else if (!body.reason.empty() && !NeedsQuotaProject(body)) {
    error.details.emplace_back("reason", body.reason);
  }
  return error;
}

}  // namespace kinetic::google
