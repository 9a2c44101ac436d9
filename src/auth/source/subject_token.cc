#include "auth/source/subject_token.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "http/url.h"
#include "json/document.h"

namespace kinetic::auth {
namespace {

constexpr std::uint64_t kMaxSubjectTokenBytes = 1U << 20;

Error SubjectStatusError(const http::Request& request, const http::Response& response) {
  return {ErrorCode::kUnavailable,
          "GET " + http::RedactedUrl(request.url).Text() + ": status " +
              std::to_string(response.status),
          "",
          {}};
}

}  // namespace

Result<std::string> ExtractToken(const std::string& text, const TokenFormat& format,
                                 const std::string& where) {
  const auto refuse = [&](const std::string& why) {
    return Fail(ErrorCode::kUnauthenticated, where + " " + why);
  };
  std::string token(Trim(text));
  if (!format.json_field.empty()) {
    const auto value = Value::FromJson(text);
    const Value* member = value ? value->Find(format.json_field) : nullptr;
    const std::string* field = member != nullptr ? member->AsString() : nullptr;
    if (field == nullptr) return refuse("has no string '" + Printable(format.json_field) + "'");
    token = *field;
  }
  if (token.empty()) return refuse("is empty");
  return token;
}

Result<std::string> FileSubjectToken::Read(std::stop_token) {
  KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadFile(*fs_, path_, kMaxSubjectTokenBytes));
  return ExtractToken(text, format_, "the token file " + Printable(path_.native()));
}

Result<std::string> UrlSubjectToken::Read(std::stop_token stop) {
  const http::RetryingClient client(*network_.transport, &SubjectStatusError, network_.retry,
                                    *network_.clock);
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           client.Send(request_, http::Idempotency::kIdempotent, std::move(stop)));
  const std::string where = "the response of " + http::RedactedUrl(request_.url).Text();
  if (response.status != 200) {
    return Fail(ErrorCode::kUnauthenticated,
                where + " has status " + std::to_string(response.status));
  }
  return ExtractToken(response.body, format_, where);
}

}  // namespace kinetic::auth
