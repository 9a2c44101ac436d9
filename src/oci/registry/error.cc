#include "kinetic/value.h"

#include "base/strings.h"
#include "http/url.h"
#include "json/document.h"
#include "oci/registry/repository.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::oci {
namespace {

struct Row {
  int status;
  ErrorCode code;
  std::string_view hint;
};

constexpr std::array<Row, 9> kRows{{
    {400, ErrorCode::kInvalidArgument, ""},
    {401, ErrorCode::kUnauthenticated, ""},
    {403, ErrorCode::kPermissionDenied, "ask the owner of the repository for access"},
    {404, ErrorCode::kNotFound, "check the name, and whether the repository must be created first"},
    {405, ErrorCode::kUnimplemented, ""},
    {408, ErrorCode::kUnavailable, "try again later"},
    {413, ErrorCode::kResourceExhausted, "the registry does not accept blobs of that size"},
    {429, ErrorCode::kUnavailable, "the registry limits the request rate: try again later"},
    {507, ErrorCode::kResourceExhausted, "the registry is out of storage"},
}};

struct ErrorEntry {
  std::string code;
  std::string message;
};

/// `{"errors":[{"code":"DENIED","message":"…","detail":…}]}`
std::vector<ErrorEntry> ErrorEntries(const http::Response& response) {
  std::vector<ErrorEntry> entries;
  const auto body = Value::FromJson(response.body);
  const Value* errors = body ? body->Find("errors") : nullptr;
  if (errors == nullptr || errors->AsList() == nullptr) return entries;
  for (const Value& error : *errors->AsList()) {
    entries.push_back({json::TextAt(error, "code"), json::TextAt(error, "message")});
  }
  return entries;
}

std::string ErrorSummary(const http::Response& response) {
  std::string summary;
  for (const ErrorEntry& entry : ErrorEntries(response)) {
    summary += (summary.empty() ? "" : "; ") + entry.code;
    if (!entry.message.empty()) summary += ": " + entry.message;
  }
  constexpr std::size_t kMaxTextBytes = 200;
  if (summary.empty()) summary = Trim(std::string_view(response.body).substr(0, kMaxTextBytes));
  return summary.starts_with('<') ? "" : Printable(summary);
}

}  // namespace

bool HasErrorCode(const http::Response& response, std::string_view code) {
  return std::ranges::any_of(ErrorEntries(response),
                             [&](const ErrorEntry& entry) { return entry.code == code; });
}

Error ErrorFromResponse(const http::Request& request, const http::Response& response) {
  const std::string summary = ErrorSummary(response);
  const auto parts = http::ParseUrl(request.url);
  const std::string host = parts ? parts->host : "the registry";
  Error error;
  error.message = host + " responded with " + std::to_string(response.status) +
                  (summary.empty() ? "" : " " + summary);
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
    return candidate.status == response.status;
  });
  const bool transient = response.status >= 500;
  error.code = transient ? ErrorCode::kUnavailable : ErrorCode::kFailedPrecondition;
  if (transient) error.hint = "try again later";
  if (row != kRows.end()) {
    error.code = row->code;
    error.hint = row->hint;
  }
  if (response.status == 401) error.hint = "docker login " + host;
  if (HasErrorCode(response, "DIGEST_INVALID")) {
    error.code = ErrorCode::kDataLoss;
    error.hint = "send it again; if it happens again, this machine or the network corrupts data";
  }
  return std::move(error).With("status", std::to_string(response.status));
}

}  // namespace kinetic::oci
