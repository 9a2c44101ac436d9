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
    {403, ErrorCode::kPermissionDenied, "ask the owner of the repository for the right to it"},
    {404, ErrorCode::kNotFound, "check the name, and whether the repository has to be made first"},
    {405, ErrorCode::kUnimplemented, ""},
    {408, ErrorCode::kUnavailable, "try again later"},
    {413, ErrorCode::kResourceExhausted, "the registry takes no blobs of that size"},
    {429, ErrorCode::kUnavailable, "the registry is asked too often: try again later"},
    {507, ErrorCode::kResourceExhausted, "the registry has no room left"},
}};

struct Complaint {
  std::string code;
  std::string message;
};

/// `{"errors":[{"code":"DENIED","message":"…","detail":…}]}`
std::vector<Complaint> Complaints(const http::Response& response) {
  std::vector<Complaint> complaints;
  const auto body = Value::FromJson(response.body);
  const Value* errors = body ? body->Find("errors") : nullptr;
  if (errors == nullptr || errors->AsList() == nullptr) return complaints;
  for (const Value& error : *errors->AsList()) {
    complaints.push_back({json::TextAt(error, "code"), json::TextAt(error, "message")});
  }
  return complaints;
}

std::string Words(const http::Response& response) {
  std::string words;
  for (const Complaint& complaint : Complaints(response)) {
    words += (words.empty() ? "" : "; ") + complaint.code;
    if (!complaint.message.empty()) words += ": " + complaint.message;
  }
  constexpr std::size_t kEnough = 200;
  if (words.empty()) words = Trim(std::string_view(response.body).substr(0, kEnough));
  return words.starts_with('<') ? "" : Printable(words);
}

}  // namespace

bool Says(const http::Response& response, std::string_view code) {
  return std::ranges::any_of(Complaints(response),
                             [&](const Complaint& complaint) { return complaint.code == code; });
}

Error ErrorOf(const http::Request& request, const http::Response& response) {
  const std::string words = Words(response);
  const auto parts = http::ParseUrl(request.url);
  const std::string host = parts ? parts->host : "the registry";
  Error error;
  error.message =
      host + " answers " + std::to_string(response.status) + (words.empty() ? "" : " " + words);
  const auto* const row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& candidate) {
    return candidate.status == response.status;
  });
  const bool passing = response.status >= 500;
  error.code = passing ? ErrorCode::kUnavailable : ErrorCode::kFailedPrecondition;
  if (passing) error.hint = "try again later";
  if (row != kRows.end()) {
    error.code = row->code;
    error.hint = row->hint;
  }
  if (response.status == 401) error.hint = "docker login " + host;
  if (Says(response, "DIGEST_INVALID")) {
    error.code = ErrorCode::kDataLoss;
    error.hint = "send it again; if it happens again, this machine or the network alters bytes";
  }
  return std::move(error).With("status", std::to_string(response.status));
}

}  // namespace kinetic::oci
