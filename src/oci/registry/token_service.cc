#include "oci/registry/token_service.h"

#include "kinetic/value.h"

#include "auth/token_endpoint.h"
#include "base/strings.h"
#include "base/time/timestamp.h"
#include "base/try.h"
#include "http/redacted.h"
#include "http/retry.h"
#include "http/url.h"
#include "json/reader.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace kinetic::oci {
namespace {

/// Of a token that does not say how long it lasts.
constexpr std::int64_t kStandardSeconds = 60;
constexpr std::size_t kAnswerBytes = 1U << 20;
constexpr const char* kClient = "kinetic";

/// A registry can name any address; a login goes to none that others can read on its way.
Status CheckRealm(const TokenQuestion& question) {
  const std::string& realm = question.challenge.realm;
  const auto parts = http::ParseUrl(realm);
  const std::string what = question.registry.name + " sends to the token service '" +
                           http::RedactedUrl(realm).Text() + "'";
  if (!parts || !parts->user_info.empty()) {
    return Fail(ErrorCode::kPermissionDenied, what + ", which is no address to be asked");
  }
  const bool plain_registry = question.registry.url.starts_with("http://");
  const bool same = SameServer(realm, question.registry.url);
  const bool may_be_plain = plain_registry && (same || http::IsLoopback(parts->host));
  if (parts->scheme != "https" && !may_be_plain) {
    return Fail(ErrorCode::kPermissionDenied, what + ", which is asked without TLS");
  }
  if (question.login && question.login->registry_alone && !same) {
    return Fail(
        ErrorCode::kPermissionDenied,
        what + ", and the credential in " + question.login->origin + " is for the registry alone");
  }
  return {};
}

http::Request WithIdentityToken(const TokenQuestion& question) {
  const std::string scopes = Join(question.scopes, " ");
  http::Request request;
  request.method = "POST";
  request.url = question.challenge.realm;
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = std::make_shared<http::BytesBody>(
      auth::EncodeForm({{"grant_type", "refresh_token"},
                        {"service", question.challenge.service},
                        {"client_id", kClient},
                        {"scope", scopes},
                        {"refresh_token", question.login->identity_token}}));
  return request;
}

http::Request WithPassword(const TokenQuestion& question) {
  auth::Form form;
  if (!question.challenge.service.empty()) {
    form.emplace_back("service", question.challenge.service);
  }
  for (const std::string& scope : question.scopes) form.emplace_back("scope", scope);
  if (question.login) form.emplace_back("account", question.login->username);
  const std::string& realm = question.challenge.realm;
  const char* const joint = realm.find('?') == std::string::npos ? "?" : "&";
  http::Request request;
  request.url = form.empty() ? realm : realm + joint + auth::EncodeForm(form);
  if (question.login) {
    const std::string both = question.login->username + ":" + question.login->password;
    request.headers = {{"Authorization", "Basic " + Base64Encode(both)}};
  }
  return request;
}

/// What an error answer says, in one line.
std::string StatusWords(const http::Response& response) {
  const auto body = Value::FromJson(response.body);
  for (const char* key : {"details", "error_description", "message", "error"}) {
    const Value* member = body ? body->Find(key) : nullptr;
    if (member != nullptr && member->AsString() != nullptr) {
      return std::to_string(response.status) + " " + Printable(*member->AsString());
    }
  }
  return std::to_string(response.status);
}

Failure Refused(const TokenQuestion& question, const http::Response& response) {
  const std::string what = "the token service of " + question.registry.name + " answers " +
                           StatusWords(response) + " to " +
                           (question.login ? "the login in " + question.login->origin : "nobody");
  if (http::IsRetryable(response)) {
    return Fail(ErrorCode::kUnavailable, what, "try again later");
  }
  if (response.status == 403) {
    return Fail(ErrorCode::kPermissionDenied, what, "ask its owner for the right to it");
  }
  return Fail(ErrorCode::kUnauthenticated, what, "docker login " + question.registry.name);
}

Result<RegistryToken> ReadToken(const std::string& body, const std::string& registry,
                                const Clock& clock) {
  const std::string where = "the token of " + registry;
  const auto value = Value::FromJson(body);
  if (!value) return Fail(ErrorCode::kDataLoss, where + ": the answer is no JSON");
  json::ObjectReader reader(*value, where);
  RegistryToken token{reader.OptionalString("token").value_or(""), clock.Now()};
  if (token.value.empty()) token.value = reader.String("access_token");
  // From when it came: when the server says that it was issued tells more of the server's clock.
  token.expiry += std::chrono::seconds(reader.OptionalInt("expires_in").value_or(kStandardSeconds));
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return token;
}

}  // namespace

Result<RegistryToken> AskForToken(http::Transport& transport, const Clock& clock,
                                  const TokenQuestion& question, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckRealm(question));
  const bool by_identity = question.login && !question.login->identity_token.empty();
  const http::Request request = by_identity ? WithIdentityToken(question) : WithPassword(question);
  auto response = transport.Send(request, std::move(stop), kAnswerBytes);
  if (!response) {
    return Failure(
        std::move(response).error().Context("asking for a token of " + question.registry.name));
  }
  if (response->status != 200) return Refused(question, *response);
  return ReadToken(response->body, question.registry.name, clock);
}

}  // namespace kinetic::oci
