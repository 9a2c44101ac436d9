#include "kinetic/value.h"

#include "base/strings.h"
#include "gcs/protocol.h"
#include "http/redacted.h"
#include "http/url.h"

#include <algorithm>
#include <array>
#include <string>

namespace kinetic::gcs {
namespace {

struct Row {
  int status;
  ErrorCode code;
  std::string_view hint;
};

constexpr std::array<Row, 12> kRows{{
    {400, ErrorCode::kInvalidArgument, ""},
    {401, ErrorCode::kUnauthenticated, "log in again: gcloud auth application-default login"},
    {403, ErrorCode::kPermissionDenied, ""},
    {404, ErrorCode::kNotFound, ""},
    {408, ErrorCode::kUnavailable, ""},
    {409, ErrorCode::kAlreadyExists, ""},
    {410, ErrorCode::kNotFound, ""},
    {412, ErrorCode::kFailedPrecondition, ""},
    {413, ErrorCode::kResourceExhausted, ""},
    {416, ErrorCode::kInvalidArgument, ""},
    {429, ErrorCode::kResourceExhausted, "Cloud Storage limits the request rate: try again later"},
    {507, ErrorCode::kResourceExhausted, ""},
}};

/// Returns the message of an error response. Media endpoints may respond with plain text.
std::string ServerMessage(const http::Response& response) {
  const auto body = Value::FromJson(response.body);
  const Value* error = body ? body->Find("error") : nullptr;
  const Value* message = error != nullptr ? error->Find("message") : nullptr;
  if (message != nullptr && message->AsString() != nullptr) return *message->AsString();
  constexpr std::size_t kMaxTextBytes = 200;
  const std::string text(Trim(std::string_view(response.body).substr(0, kMaxTextBytes)));
  return text.starts_with('<') ? "" : text;
}

/// Returns "gs://bucket" for a URL of the JSON API, else the URL.
std::string BucketOf(const std::string& url) {
  const std::size_t at = url.find("/b/");
  if (at == std::string::npos) return http::RedactedUrl(url).Text();
  const std::string_view rest = std::string_view(url).substr(at + 3);
  return "gs://" + http::PercentDecode(rest.substr(0, rest.find_first_of("/?")));
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
  const std::string member =
      account.find('@') == std::string::npos
          ? "ACCOUNT"
          : (account.ends_with(".gserviceaccount.com") ? "serviceAccount:" : "user:") + account;
  return "gcloud storage buckets add-iam-policy-binding " + bucket + " --member=" + member +
         " --role=" + role;
}

}  // namespace

Error ErrorFromResponse(const http::Request& request, const http::Response& response) {
  const std::string server_message = ServerMessage(response);
  const std::string bucket = BucketOf(request.url);
  Error error;
  error.message = request.method + " " + http::RedactedUrl(request.url).Text() + ": " +
                  std::to_string(response.status) +
                  (server_message.empty() ? "" : " " + Printable(server_message));
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
    return candidate.status == response.status;
  });
  error.code = row != kRows.end() ? row->code : ErrorCode::kUnavailable;
  if (row == kRows.end() && response.status < 500) error.code = ErrorCode::kInternal;
  if (row != kRows.end()) error.hint = row->hint;
  if (response.status == 403) error.hint = GrantHint(server_message, bucket);
  if (IsBucketMissing(response)) {
    error.hint = "check the name, or create the bucket: gcloud storage buckets create " + bucket;
  }
  return std::move(error).With("status", std::to_string(response.status));
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
