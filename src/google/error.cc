#include "google/error.h"

#include "kinetic/value.h"

#include "base/strings.h"
#include "google/advice.h"
#include "http/url.h"

#include <algorithm>
#include <array>
#include <string>

namespace kinetic::google {
namespace {

struct Row {
  int status;
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
struct Refusal {
  std::string words;
  std::string status;    ///< "FAILED_PRECONDITION"
  std::string reason;    ///< of google.rpc.ErrorInfo: "SERVICE_DISABLED"
  std::string consumer;  ///< of the ErrorInfo: "projects/123"
};

Refusal Read(const http::Response& response) {
  Refusal refusal;
  const auto body = Value::FromJson(response.body);
  const Value* error = body ? body->Find("error") : nullptr;
  refusal.words = TextIn(error, "message");
  refusal.status = TextIn(error, "status");
  const Value* details = error != nullptr ? error->Find("details") : nullptr;
  if (details == nullptr || details->AsList() == nullptr) return refusal;
  for (const Value& detail : *details->AsList()) {
    if (!TextIn(&detail, "@type").ends_with("google.rpc.ErrorInfo")) continue;
    refusal.reason = TextIn(&detail, "reason");
    refusal.consumer = TextIn(detail.Find("metadata"), "consumer");
  }
  return refusal;
}

/// Credentials of users need a project for their quota. The reason is SERVICE_DISABLED here too.
bool NeedsQuotaProject(const Refusal& refusal) {
  return refusal.words.find("requires a quota project") != std::string::npos;
}

bool IsDisabled(const http::Response& response, const Refusal& refusal) {
  return response.status == 403 && (refusal.reason == "SERVICE_DISABLED" ||
                                    response.body.find("SERVICE_DISABLED") != std::string::npos);
}

bool LacksQuotaInRegion(const Refusal& refusal) {
  return refusal.words.find("quota restrictions") != std::string::npos;
}

std::string HintFor(const Service& service, const http::Response& response,
                    const Refusal& refusal) {
  if (response.status == 401) return "log in again: gcloud auth application-default login";
  if (refusal.words.find("Billing must be enabled") != std::string::npos ||
      refusal.words.find("billing to be enabled") != std::string::npos) {
    return "link a billing account: https://console.cloud.google.com/billing/projects";
  }
  if (LacksQuotaInRegion(refusal)) return "use another region, or request quota there";
  if (response.status == 429) return "the project's quota is exhausted: try again later";
  if (response.status != 403) return AdviceFor(refusal.words);
  if (NeedsQuotaProject(refusal)) return "specify your project: --quota-project PROJECT";
  if (IsDisabled(response, refusal)) {
    constexpr std::string_view kProjects = "projects/";
    const bool named = refusal.consumer.starts_with(kProjects);
    return "gcloud services enable " + std::string(service.name) +
           (named ? " --project=" + refusal.consumer.substr(kProjects.size()) : "");
  }
  if (refusal.words.find("act as") != std::string::npos ||
      refusal.words.find("actAs") != std::string::npos) {
    return "ask for roles/iam.serviceAccountUser on that service account";
  }
  return std::string(service.permission_hint);
}

}  // namespace

Error ToError(const Service& service, const http::Request& request,
              const http::Response& response) {
  const Refusal refusal = Read(response);
  const auto* const row = std::ranges::find(kRows, response.status, &Row::status);
  Error error;
  error.code = row != kRows.end() ? row->code : ErrorCode::kUnavailable;
  if (refusal.status == "ABORTED") error.code = ErrorCode::kAborted;
  if (refusal.status == "FAILED_PRECONDITION") error.code = ErrorCode::kFailedPrecondition;
  if (LacksQuotaInRegion(refusal)) error.code = ErrorCode::kResourceExhausted;
  error.message = request.method + " " + http::RedactedUrl(request.url).Text() + ": " +
                  std::to_string(response.status) +
                  (refusal.words.empty() ? "" : " " + Printable(refusal.words));
  error.hint = HintFor(service, response, refusal);
  error.details.emplace_back("status", std::to_string(response.status));
  if (!refusal.reason.empty()) error.details.emplace_back("reason", refusal.reason);
  return error;
}

}  // namespace kinetic::google
