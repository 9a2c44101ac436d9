#include "kinetic/try.h"
#include "kinetic/value.h"

#include "auth/token_endpoint.h"
#include "base/strings.h"
#include "base/time/clock.h"
#include "http/retry.h"
#include "http/url.h"
#include "json/document.h"
#include "oci/registry/authorized_transport.h"

#include <algorithm>
#include <memory>
#include <utility>

namespace kinetic::oci {
namespace {

/// The lifetime of a token without `expires_in`.
constexpr std::int64_t kDefaultLifetimeSeconds = 60;
constexpr std::size_t kMaxTokenResponseBytes = 1U << 20;
constexpr const char* kClient = "kinetic";

/// A registry can name any URL. Logins are sent over TLS only.
Status CheckRealm(const TokenQuery& query) {
  const std::string& realm = query.challenge.realm;
  const auto parts = http::ParseUrl(realm);
  const std::string what =
      query.registry.name + " requires the token service '" + http::RedactedUrl(realm).Text() + "'";
  if (!parts || !parts->user_info.empty()) {
    return Fail(ErrorCode::kPermissionDenied, what + ", which is not a valid URL");
  }
  const bool plain_registry = query.registry.url.starts_with("http://");
  const bool same = http::IsSameOrigin(realm, query.registry.url);
  const bool may_be_plain = plain_registry && (same || http::IsLoopback(parts->host));
  if (parts->scheme != "https" && !may_be_plain) {
    return Fail(ErrorCode::kPermissionDenied, what + ", which does not use TLS");
  }
  if (query.login && query.login->registry_only && !same) {
    return Fail(
        ErrorCode::kPermissionDenied,
        what + ", and the credential in " + query.login->origin + " is for the registry only");
  }
  return {};
}

http::Request WithIdentityToken(const TokenQuery& query) {
  const std::string scopes = Join(query.scopes, " ");
  http::Request request;
  request.method = "POST";
  request.url = query.challenge.realm;
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = std::make_shared<http::BytesBody>(
      auth::EncodeForm({{"grant_type", "refresh_token"},
                        {"service", query.challenge.service},
                        {"client_id", kClient},
                        {"scope", scopes},
                        {"refresh_token", query.login->identity_token}}));
  return request;
}

http::Request WithPassword(const TokenQuery& query) {
  auth::Form form;
  if (!query.challenge.service.empty()) {
    form.emplace_back("service", query.challenge.service);
  }
  for (const std::string& scope : query.scopes) form.emplace_back("scope", scope);
  if (query.login) form.emplace_back("account", query.login->username);
  const std::string& realm = query.challenge.realm;
  const char* const joint = realm.find('?') == std::string::npos ? "?" : "&";
  http::Request request;
  request.url = form.empty() ? realm : realm + joint + auth::EncodeForm(form);
  if (query.login) {
    const std::string both = query.login->username + ":" + query.login->password;
    request.headers = {{"Authorization", "Basic " + Base64Encode(both)}};
  }
  return request;
}

/// Returns the status and message of an error response in one line.
std::string ServerMessage(const http::Response& response) {
  const auto body = Value::FromJson(response.body);
  for (const char* key : {"details", "error_description", "message", "error"}) {
    const Value* member = body ? body->Find(key) : nullptr;
    if (member != nullptr && member->AsString() != nullptr) {
      return std::to_string(response.status) + " " + Printable(*member->AsString());
    }
  }
  return std::to_string(response.status);
}

Failure TokenRejected(const TokenQuery& query, const http::Response& response) {
  const std::string what =
      "the token service of " + query.registry.name + " responded with " + ServerMessage(response) +
      " to " + (query.login ? "the login in " + query.login->origin : "an anonymous request");
  if (http::IsRetryable(response)) {
    return Fail(ErrorCode::kUnavailable, what, "try again later");
  }
  if (response.status == 403) {
    return Fail(ErrorCode::kPermissionDenied, what, "ask the owner of the repository for access");
  }
  return Fail(ErrorCode::kUnauthenticated, what, "docker login " + query.registry.name);
}

Result<RegistryToken> ReadToken(const std::string& body, const std::string& registry,
                                const Clock& clock) {
  const std::string where = "the token of " + registry;
  const auto value = Value::FromJson(body);
  if (!value) return Fail(ErrorCode::kDataLoss, where + ": the response is not JSON");
  json::ObjectReader reader(*value, where);
  RegistryToken token{reader.OptionalString("token").value_or(""), clock.Now()};
  if (token.value.empty()) token.value = reader.String("access_token");
  // Counted from now, because the server's `issued_at` depends on its clock.
  token.expiry +=
      std::chrono::seconds(reader.OptionalInt("expires_in").value_or(kDefaultLifetimeSeconds));
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return token;
}

}  // namespace

Result<RegistryToken> FetchToken(http::Transport& transport, const Clock& clock,
                                 const TokenQuery& query, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckRealm(query));
  const bool by_identity = query.login && !query.login->identity_token.empty();
  const http::Request request = by_identity ? WithIdentityToken(query) : WithPassword(query);
  auto response = transport.Send(request, std::move(stop), kMaxTokenResponseBytes);
  if (!response) {
    return Failure(
        std::move(response).error().Context("requesting a token of " + query.registry.name));
  }
  if (response->status != 200) return TokenRejected(query, *response);
  return ReadToken(response->body, query.registry.name, clock);
}

}  // namespace kinetic::oci
