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
    {429, ErrorCode::kResourceExhausted, "the bucket is asked too often: try again later"},
    {507, ErrorCode::kResourceExhausted, ""},
}};

/// What Google's error body says; media endpoints may answer with plain text.
std::string Words(const http::Response& response) {
  const auto body = Value::FromJson(response.body);
  const Value* error = body ? body->Find("error") : nullptr;
  const Value* message = error != nullptr ? error->Find("message") : nullptr;
  if (message != nullptr && message->AsString() != nullptr) return *message->AsString();
  constexpr std::size_t kEnough = 200;
  const std::string text(Trim(std::string_view(response.body).substr(0, kEnough)));
  return text.starts_with('<') ? "" : text;
}

/// "gs://bucket" of an address of the JSON API, or the address.
std::string BucketOf(const std::string& url) {
  const std::size_t at = url.find("/b/");
  if (at == std::string::npos) return http::RedactedUrl(url).Text();
  const std::string_view rest = std::string_view(url).substr(at + 3);
  return "gs://" + http::PercentDecode(rest.substr(0, rest.find_first_of("/?")));
}

/// "ana@x does not have storage.objects.create access …" is what Google says; the permission in it
/// leads to the role that holds it.
std::string GrantHint(const std::string& words, const std::string& bucket) {
  const std::size_t at = words.find("storage.");
  if (at == std::string::npos) return "ask for access to " + bucket;
  const std::string_view rest = std::string_view(words).substr(at);
  const std::string_view permission = rest.substr(0, rest.find_first_of(" ,'\""));
  const bool reads = permission.ends_with(".get") || permission.ends_with(".list");
  const std::string role = permission.starts_with("storage.buckets.") ? "roles/storage.admin"
                           : reads                                    ? "roles/storage.objectViewer"
                                                                      : "roles/storage.objectUser";
  const std::string account = words.substr(0, words.find(' '));
  const std::string member =
      account.find('@') == std::string::npos
          ? "ACCOUNT"
          : (account.ends_with(".gserviceaccount.com") ? "serviceAccount:" : "user:") + account;
  return "gcloud storage buckets add-iam-policy-binding " + bucket + " --member=" + member +
         " --role=" + role;
}

}  // namespace

Error ErrorOf(const http::Request& request, const http::Response& response) {
  const std::string words = Words(response);
  const std::string bucket = BucketOf(request.url);
  Error error;
  error.message = request.method + " " + http::RedactedUrl(request.url).Text() + ": " +
                  std::to_string(response.status) + (words.empty() ? "" : " " + Printable(words));
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
    return candidate.status == response.status;
  });
  error.code = row != kRows.end() ? row->code : ErrorCode::kUnavailable;
  if (row == kRows.end() && response.status < 500) error.code = ErrorCode::kInternal;
  if (row != kRows.end()) error.hint = row->hint;
  if (response.status == 403) error.hint = GrantHint(words, bucket);
  if (BucketIsMissing(response)) {
    error.hint = "check the name, or make the bucket: gcloud storage buckets create " + bucket;
  }
  return std::move(error).With("status", std::to_string(response.status));
}

bool BucketIsMissing(const http::Response& response) {
  return response.status == 404 &&
         ToLower(Words(response)).find("bucket does not exist") != std::string::npos;
}

bool ContentIsDamaged(const http::Response& response) {
  const std::string words = response.status == 400 ? ToLower(Words(response)) : "";
  return words.find("crc32c") != std::string::npos;
}

}  // namespace kinetic::gcs
