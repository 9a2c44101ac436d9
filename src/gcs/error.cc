#include "kinetic/value.h"

#include "base/strings.h"
#include "gcs/protocol.h"
#include "http/retry.h"
#include "http/url.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string>

namespace kinetic::gcs {
namespace {

/// The state of an upload session, or with a target, a redirect.
constexpr int kSessionState = 308;

constexpr std::string_view kRateHint = "Cloud Storage limits the request rate: try again later";

/// One row per status. 403 and 400 are refined by the server's reason below.
struct Row {
  int status;
  ErrorCode code;
  std::string_view hint;
};

constexpr std::array<Row, 14> kRows{{
    {400, ErrorCode::kInvalidArgument, ""},
    {401, ErrorCode::kUnauthenticated,
     "the bucket needs a credential: see 'kinetic auth status', or set one with --credentials"},
    {403, ErrorCode::kPermissionDenied, ""},
    {404, ErrorCode::kNotFound, ""},
    {408, ErrorCode::kUnavailable, ""},
    {409, ErrorCode::kAlreadyExists, ""},
    {410, ErrorCode::kNotFound, ""},
    {412, ErrorCode::kFailedPrecondition, ""},
    {413, ErrorCode::kResourceExhausted, ""},
    {416, ErrorCode::kInvalidArgument, ""},
    {429, ErrorCode::kResourceExhausted, kRateHint},
    {431, ErrorCode::kFailedPrecondition,
     "the request header is too large: check that the access token is valid"},
    {501, ErrorCode::kUnimplemented, ""},
    {507, ErrorCode::kResourceExhausted, ""},
}};

/// A cause that the server names with a reason or in its message. {} is the bucket.
///
/// @source https://cloud.google.com/storage/docs/json_api/v1/status-codes
struct Cause {
  int status;
  std::string_view reason;   ///< in lower case, part of it; empty: any
  std::string_view message;  ///< in lower case, part of it; empty: any
  ErrorCode code;
  std::string_view hint;
};

constexpr std::string_view kUserProjectHint =
    "set the project that pays for a requester-pays bucket: --user-project PROJECT, or "
    "user_project in the profile";
constexpr std::string_view kUserProjectDenied =
    "the account needs roles/serviceusage.serviceUsageConsumer on the project of --user-project or "
    "--quota-project";
constexpr std::string_view kServiceHint = "gcloud services enable storage.googleapis.com";
constexpr std::string_view kBillingHint =
    "enable billing for the bucket's project: https://console.cloud.google.com/billing";
constexpr std::string_view kPerimeterHint =
    "VPC Service Controls of the bucket's organization forbid it: connect from an allowed network, "
    "or send the ID in the message to its administrator";
constexpr std::string_view kScopeHint =
    "the credential's scopes do not allow it: run 'gcloud auth application-default login', or add "
    "the cloud-platform scope to the VM";
constexpr std::string_view kRetentionHint =
    "the bucket has a retention policy: use a bucket without one for the store: "
    "gcloud storage buckets describe {}";
constexpr std::string_view kHoldHint =
    "release the hold: gcloud storage objects update --no-event-based-hold --no-temporary-hold";

constexpr std::string_view kKmsHint =
    "let the bucket's service agent use the key (roles/cloudkms.cryptoKeyEncrypterDecrypter): "
    "gcloud "
    "storage service-agent --project=PROJECT --authorize-cmek=KEY; and check that the key is "
    "enabled";
constexpr std::string_view kPolicyHint =
    "an organization policy forbids it: ask its administrator, or use another bucket for the store";

/// The first match counts.
constexpr std::array<Cause, 24> kCauses{{
    {400, "", "cloud kms", ErrorCode::kFailedPrecondition, kKmsHint},
    {403, "", "cloud kms", ErrorCode::kPermissionDenied, kKmsHint},
    {403, "", " hold", ErrorCode::kPermissionDenied, kHoldHint},
    {403, "", "retention", ErrorCode::kPermissionDenied, kRetentionHint},
    {412, "orgpolicy", "", ErrorCode::kFailedPrecondition, kPolicyHint},
    {400, "userproject", "", ErrorCode::kFailedPrecondition, kUserProjectHint},
    {400, "", "requester pays", ErrorCode::kFailedPrecondition, kUserProjectHint},
    {400, "", "user project", ErrorCode::kFailedPrecondition, kUserProjectHint},
    {403, "ratelimitexceeded", "", ErrorCode::kUnavailable, kRateHint},
    {403, "accessnotconfigured", "", ErrorCode::kPermissionDenied, kServiceHint},
    {403, "service_disabled", "", ErrorCode::kPermissionDenied, kServiceHint},
    {403, "vpcservicecontrols", "", ErrorCode::kPermissionDenied, kPerimeterHint},
    {403, "security_policy_violated", "", ErrorCode::kPermissionDenied, kPerimeterHint},
    {403, "", "vpcservicecontrols", ErrorCode::kPermissionDenied, kPerimeterHint},
    {403, "userproject", "", ErrorCode::kPermissionDenied, kUserProjectDenied},
    {403, "user_project_denied", "", ErrorCode::kPermissionDenied, kUserProjectDenied},
    {403, "", "serviceusage.services.use", ErrorCode::kPermissionDenied, kUserProjectDenied},
    {403, "accountdisabled", "", ErrorCode::kPermissionDenied, kBillingHint},
    {403, "billing", "", ErrorCode::kPermissionDenied, kBillingHint},
    {403, "", "billing account", ErrorCode::kPermissionDenied, kBillingHint},
    {403, "scope_insufficient", "", ErrorCode::kPermissionDenied, kScopeHint},
    {403, "insufficientpermissions", "", ErrorCode::kPermissionDenied, kScopeHint},
    {403, "retentionpolicy", "", ErrorCode::kPermissionDenied, kRetentionHint},
    {403, "activehold", "", ErrorCode::kPermissionDenied, kHoldHint},
}};

std::string TextIn(const Value* map, std::string_view key) {
  const Value* member = map != nullptr ? map->Find(key) : nullptr;
  const std::string* text = member != nullptr ? member->AsString() : nullptr;
  return text != nullptr ? *text : "";
}

/// Returns the reasons of an error response in lower case: errors[].reason, and that of a
/// google.rpc.ErrorInfo.
std::string Reasons(const http::Response& response) {
  const auto body = Value::FromJson(response.body);
  const Value* error = body ? body->Find("error") : nullptr;
  std::string reasons;
  for (const char* list : {"errors", "details"}) {
    const Value* items = error != nullptr ? error->Find(list) : nullptr;
    if (items == nullptr || items->AsList() == nullptr) continue;
    for (const Value& item : *items->AsList()) reasons += TextIn(&item, "reason") + " ";
  }
  return ToLower(reasons);
}

/// Returns the message of an error response. Media endpoints may respond with plain text.
std::string ServerMessage(const http::Response& response) {
  if (response.status / 100 == 2) return "";
  const auto body = Value::FromJson(response.body);
  std::string message = TextIn(body ? body->Find("error") : nullptr, "message");
  if (!message.empty()) return message;
  constexpr std::size_t kMaxTextBytes = 200;
  std::string text(Trim(std::string_view(response.body).substr(0, kMaxTextBytes)));
  if (text.starts_with('<')) return "";
  return text;
}

/// Returns "gs://bucket" for a URL of the JSON API, else the URL.
std::string BucketOf(const std::string& url) {
  const std::size_t at = url.find("/b/");
  if (at == std::string::npos) return http::RedactedUrl(url).Text();
  const std::string_view rest = std::string_view(url).substr(at + 3);
  return "gs://" + http::PercentDecode(rest.substr(0, rest.find_first_of("/?")));
}

/// Returns an account as IAM writes it.
///
/// @param account  from Google's message
/// @source https://cloud.google.com/iam/docs/principal-identifiers
std::string MemberOf(const std::string& account) {
  if (account.find('@') == std::string::npos) return "ACCOUNT";
  return (account.ends_with(".gserviceaccount.com") ? "serviceAccount:" : "user:") + account;
}

/// Derives a role from Google's message: "ana@x does not have storage.objects.create access …".
std::string GrantHint(const std::string& server_message, const std::string& bucket) {
  const std::size_t at = server_message.find("storage.");
  if (at == std::string::npos) return "ask for access to " + bucket;
  const std::string_view rest = std::string_view(server_message).substr(at);
  const std::string_view permission = rest.substr(0, rest.find_first_of(" ,'\""));
  const bool reads = permission.ends_with(".get") || permission.ends_with(".list");
  const std::string role = permission.starts_with("storage.buckets.") ? "roles/storage.admin"
                           : reads                                    ? "roles/storage.objectViewer"
                                                                      : "roles/storage.objectUser";
  const std::string account = server_message.substr(0, server_message.find(' '));
  // For a pod, Google names only the identity pool of its cluster.
  if (account.ends_with(".svc.id.goog"))
    return "the pod's service account has no access; to grant it: kinetic doctor --fix";
  return "gcloud storage buckets add-iam-policy-binding " + bucket +
         " --member=" + MemberOf(account) + " --role=" + role;
}

const Cause* FindCause(const http::Response& response, const std::string& server_message) {
  const std::string reasons = Reasons(response);
  const std::string message = ToLower(server_message);
  // A permission that IAM lacks is named in the message. Its hint is the command that grants it.
  const bool names_permission = message.find(" storage.") != std::string::npos;
  const auto* const found = std::ranges::find_if(kCauses, [&](const Cause& cause) {
    if (cause.hint == kScopeHint && names_permission) return false;
    return cause.status == response.status && reasons.find(cause.reason) != std::string::npos &&
           message.find(cause.message) != std::string::npos;
  });
  return found != kCauses.end() ? found : nullptr;
}

/// Explains an answer that does not come from Cloud Storage.
void ExplainForeign(const http::Response& response, Error& error) {
  if (response.status == 407) {
    error.code = ErrorCode::kUnauthenticated;
    error.hint =
        "put the user name and password into the proxy URL: http://USER:PASSWORD@HOST:PORT";
  } else if (const auto target = RedirectTarget(response)) {
    error.message += ", a redirect to " + http::RedactedUrl(*target).Text();
    error.hint = "check the storage endpoint and the proxy settings";
    // A login page of a network redirects for a while; a moved endpoint for good.
    const bool moved = response.status == 301 || response.status == 308;
    error.code = moved ? ErrorCode::kFailedPrecondition : ErrorCode::kUnavailable;
  } else if (response.status / 100 == 3 && response.status != kSessionState && !IsHtml(response)) {
    error.message += ", a redirect without a target";
    error.hint = "check the storage endpoint and the proxy settings";
    error.code = ErrorCode::kUnavailable;
  } else if (IsHtml(response)) {
    const std::string title = HtmlTitle(response.body);
    error.message +=
        ", an HTML page" + (title.empty() ? "" : " with the title '" + Printable(title) + "'");
    error.hint =
        "a proxy or a login page may have responded: log in to the network, or check the proxy "
        "settings";
    // From a proxy, these statuses do not mean that an object is missing or changed.
    const bool misleading = response.status / 100 == 2 || response.status == 404 ||
                            response.status == 410 || response.status == 412;
    if (misleading) error.code = ErrorCode::kUnavailable;
  } else if (response.status / 100 == 2) {
    error.message += ", which is not a response from Cloud Storage";
    error.hint = "a proxy may have responded: check the storage endpoint and the proxy settings";
    error.code = ErrorCode::kUnavailable;
  }
}

/// Adds a hint about a long wait that the server requests. Backoff reports it if it is too long.
void TellRetryAfter(const http::Response& response, Error& error) {
  constexpr std::chrono::seconds kLong{60};
  const auto wait = http::RetryAfter(response);
  if (!wait || *wait < kLong || response.status / 100 == 2) return;
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(*wait).count();
  error.hint = "try again in " + std::to_string((seconds + 59) / 60) + " minutes";
}

std::string WithBucket(std::string_view hint, const std::string& bucket) {
  std::string text(hint);
  if (const std::size_t at = text.find("{}"); at != std::string::npos) text.replace(at, 2, bucket);
  return text;
}

void SetCodeAndHint(const http::Response& response, const std::string& server_message,
                    const std::string& bucket, Error& error) {
  if (const Cause* cause = FindCause(response, server_message)) {
    error.code = cause->code;
    error.hint = WithBucket(cause->hint, bucket);
    return;
  }
  const auto* const row = std::ranges::find(kRows, response.status, &Row::status);
  error.code = row != kRows.end() ? row->code : ErrorCode::kUnavailable;
  if (row == kRows.end() && response.status < 500) error.code = ErrorCode::kInternal;
  if (row != kRows.end()) error.hint = row->hint;
  if (response.status == 403) error.hint = GrantHint(server_message, bucket);
  if (IsBucketMissing(response)) {
    error.hint = "check the name, or create the bucket: gcloud storage buckets create " + bucket;
  }
}

}  // namespace

Error ErrorFromResponse(const http::Request& request, const http::Response& response) {
  const std::string server_message = ServerMessage(response);
  Error error;
  error.message = request.method + " " + http::RedactedUrl(request.url).Text() + ": " +
                  std::to_string(response.status) +
                  (server_message.empty() ? "" : " " + Printable(server_message));
  SetCodeAndHint(response, server_message, BucketOf(request.url), error);
  ExplainForeign(response, error);
  TellRetryAfter(response, error);
  return std::move(error).With("status", std::to_string(response.status));
}

bool IsConditionNotMet(const http::Response& response) {
  if (response.status != 412 || IsHtml(response)) return false;
  const std::string reasons = Reasons(response);
  return Trim(reasons).empty() || reasons.find("conditionnotmet") != std::string::npos;
}

bool IsBucketMissing(const http::Response& response) {
  return response.status == 404 &&
         ToLower(ServerMessage(response)).find("bucket does not exist") != std::string::npos;
}

bool IsChecksumMismatch(const http::Response& response) {
  const std::string server_message = response.status == 400 ? ToLower(ServerMessage(response)) : "";
  return server_message.find("crc32c") != std::string::npos;
}

}  // namespace kinetic::gcs
