#include "auth/token_endpoint.h"

#include "auth/jwt.h"
#include "base/strings.h"
#include "base/time.h"
#include "base/try.h"
#include "http/date.h"
#include "http/redacted.h"
#include "http/url.h"
#include "json/reader.h"

#include <fmt/format.h>

#include <cstdlib>
#include <memory>

namespace kinetic::auth {
namespace {

/// A larger difference makes signed assertions worthless.
constexpr std::chrono::minutes kClockDifference{5};

std::string Member(const std::string& json, std::string_view key) {
  const auto value = Value::FromJson(json);
  const Value* member = value ? value->Find(key) : nullptr;
  const std::string* text = member != nullptr ? member->AsString() : nullptr;
  return text != nullptr ? *text : "";
}

/// What an error answer says, in one line.
std::string Words(const http::Response& response) {
  std::string words = Member(response.body, "error");
  const std::string description = Member(response.body, "error_description");
  if (!description.empty()) words += (words.empty() ? "" : ": ") + description;
  return words.empty() ? "status " + std::to_string(response.status) : Printable(words);
}

/// "this machine's clock is 10 minutes behind", or nothing.
std::string ClockWords(const http::Response& response, const Clock& clock) {
  const auto theirs = http::ParseHttpDate(response.headers.Get("date").value_or(""));
  if (!theirs) return {};
  const auto difference = std::chrono::round<std::chrono::minutes>(clock.Now() - *theirs);
  if (std::chrono::abs(difference) < kClockDifference) return {};
  return fmt::format("this machine's clock is {} minutes {}: set it right",
                     std::abs(difference.count()), difference.count() > 0 ? "ahead" : "behind");
}

Error Refused(const http::Response& response, const std::string& whose, const Clock& clock) {
  std::string hint = ClockWords(response, clock);
  if (hint.empty()) hint = "log in again (gcloud auth application-default login), or name another";
  return {ErrorCode::kUnauthenticated, whose + " was refused: " + Words(response), hint, {}};
}

bool MayPass(const http::Response& response) {
  if (http::Classify(response) == http::Verdict::kTransient) return true;
  const std::string error = Member(response.body, "error");
  return error == "internal_failure" || error == "server_error" ||
         error == "temporarily_unavailable";
}

/// Sends until there is an answer that will not pass.
Result<http::Response> Ask(const Network& network, const http::Request& request,
                           const std::string& whose, const std::stop_token& stop) {
  http::Attempts attempts(network.retry, *network.clock);
  for (;;) {
    auto response = network.transport->Send(request, stop);
    if (response && !MayPass(*response)) return response;
    if (!response &&
        http::Classify(response.error(), http::Idempotency::kSafe) == http::Verdict::kFinal) {
      return Failure(std::move(response).error().Context("fetching a token for " + whose));
    }
    Error cause =
        response ? Error{ErrorCode::kUnavailable, Words(*response), "", {}} : response.error();
    cause = std::move(cause).Context("fetching a token for " + whose);
    const auto wait = response ? http::RetryAfter(*response) : std::nullopt;
    KINETIC_RETURN_IF_ERROR(attempts.Again(cause, wait, stop));
  }
}

Value ToList(const std::vector<std::string>& items) {
  Value::List list;
  for (const std::string& item : items) list.emplace_back(item);
  return Value(std::move(list));
}

}  // namespace

std::string EncodeForm(const Form& form) {
  std::string text;
  for (const auto& [name, value] : form) {
    if (!text.empty()) text += '&';
    text += http::PercentEncode(name) + "=" + http::PercentEncode(value);
  }
  return text;
}

Result<AccessToken> ReadTokenAnswer(const std::string& json, const std::string& whose,
                                    const Clock& clock) {
  const std::string where = "the token for " + whose;
  const auto value = Value::FromJson(json);
  if (!value) return Fail(ErrorCode::kDataLoss, where + ": the answer is no JSON");
  json::ObjectReader reader(*value, where);
  AccessToken token;
  token.value = reader.String("access_token");
  const Value* expires = reader.Member("expires_in");
  if (expires != nullptr) {
    const auto text = expires->AsString() ? ParseInt(*expires->AsString()) : std::nullopt;
    const std::int64_t seconds = text ? *text : reader.Int("expires_in");
    token.expiry = clock.Now() + std::chrono::seconds(seconds);
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  const std::string scopes = reader.OptionalString("scope").value_or("");
  for (const std::string_view scope : Split(scopes, ' ')) {
    if (!scope.empty()) token.scopes.emplace_back(scope);
  }
  // Beside the token of a person who has logged in with the scope "openid".
  const auto claims = ClaimsOf(reader.OptionalString("id_token").value_or(""));
  const Value* email = claims ? claims->Find("email") : nullptr;
  if (email != nullptr && email->AsString() != nullptr) token.account = *email->AsString();
  return token;
}

Result<AccessToken> AskTokenEndpoint(const Network& network, const std::string& url,
                                     const Form& form, const std::string& whose,
                                     std::stop_token stop) {
  http::Request request;
  request.method = "POST";
  request.url = url;
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = std::make_shared<http::BytesBody>(EncodeForm(form));
  KINETIC_ASSIGN_OR_RETURN(const http::Response response, Ask(network, request, whose, stop));
  if (response.status != 200) return Failure(Refused(response, whose, *network.clock));
  return ReadTokenAnswer(response.body, whose, *network.clock);
}

Result<AccessToken> AskForImpersonation(const Network& network, const Impersonation& wanted,
                                        const AccessToken& with, const std::string& whose,
                                        std::stop_token stop) {
  Value body{Value::Map{}};
  body.Set("delegates", ToList(wanted.delegates));
  body.Set("scope", ToList(wanted.scopes));
  body.Set("lifetime", std::to_string(wanted.lifetime.count()) + "s");
  http::Request request;
  request.method = "POST";
  request.url = wanted.url;
  request.headers = {{"Content-Type", "application/json"},
                     {"Authorization", "Bearer " + with.value}};
  request.body = std::make_shared<http::BytesBody>(body.ToJson());
  KINETIC_ASSIGN_OR_RETURN(const http::Response response, Ask(network, request, whose, stop));
  if (response.status == 403) {
    return Fail(ErrorCode::kPermissionDenied, "impersonating by " + whose + " is not allowed",
                "grant roles/iam.serviceAccountTokenCreator on that service account");
  }
  if (response.status != 200) return Failure(Refused(response, whose, *network.clock));
  const auto value = Value::FromJson(response.body);
  if (!value) return Fail(ErrorCode::kDataLoss, "the token for " + whose + ": no JSON");
  json::ObjectReader reader(*value, "the token for " + whose);
  AccessToken token{reader.String("accessToken"), {}, wanted.scopes};
  const auto expiry = ParseTime(reader.String("expireTime"));
  if (!expiry) reader.Reject("expireTime", "expected a time");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  token.expiry = *expiry;
  return token;
}

}  // namespace kinetic::auth
