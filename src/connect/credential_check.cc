#include "kinetic/try.h"
#include "kinetic/value.h"

#include "auth/token_endpoint.h"
#include "auth/tokens.h"
#include "base/strings.h"
#include "connect/cloud_options.h"
#include "json/document.h"

#include <utility>

namespace kinetic::connect {
namespace {

/// Returns whether only Google knows the account of the token.
bool IsCallerToken(const auth::Identity& identity) {
  return identity.kind == "token" || identity.kind == "token_file";
}

Error ExpiredError(const auth::Identity& identity) {
  return {ErrorCode::kUnauthenticated,
          identity.origin + " has expired, or is not a Google access token",
          "use a new one, or a credential that kinetic can refresh",
          {}};
}

Result<Value> GetTokenInfo(Connection& connection, const std::string& url, const std::string& token,
                           const auth::Identity& identity, std::stop_token stop) {
  http::Request request;
  request.method = "POST";
  request.url = url;
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = std::make_shared<http::BytesBody>(auth::EncodeForm({{"access_token", token}}));
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           connection.Plain().Send(request, std::move(stop)));
  if (response.status == 400 || response.status == 401) {
    return Failure(ExpiredError(identity));
  }
  auto value = Value::FromJson(response.body);
  if (response.status == 200 && value && value->AsMap() != nullptr) return value;
  return Fail(ErrorCode::kUnavailable,
              "cannot look up the access token: status " + std::to_string(response.status));
}

void SetScopes(std::string_view text, CredentialStatus& status) {
  for (const std::string_view scope : Split(text, ' ')) {
    if (!scope.empty()) status.scopes.emplace_back(scope);
  }
}

Status SetTokenInfo(Connection& connection, const std::string& url, const auth::AccessToken& token,
                    const auth::Identity& identity, CredentialStatus& status,
                    std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const Value info,
                           GetTokenInfo(connection, url, token.value, identity, std::move(stop)));
  status.account = json::TextAt(info, "email");
  SetScopes(json::TextAt(info, "scope"), status);
  if (const auto seconds = ParseInt(json::TextAt(info, "exp"))) {
    status.expiry = WallTime(std::chrono::seconds(*seconds));
  }
  return {};
}

/// Sets the requested scopes if the server did not return the granted ones.
void AssumeScopes(const auth::Identity& identity, CredentialStatus& status) {
  if (!status.scopes.empty() || identity.kind == "authorized_user" || identity.kind == "metadata")
    return;
  status.scopes.emplace_back(auth::kCloudPlatformScope);
}

}  // namespace

Result<CredentialStatus> CheckCredentialAt(const CloudOptions& options, const Dependencies& deps,
                                           const std::string& token_info, std::stop_token stop) {
  Dependencies exchanging = deps;
  exchanging.exchange_assertions = true;
  KINETIC_ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, exchanging, stop));
  CredentialStatus status;
  status.kind = "none";
  status.origin = "the storage endpoint " + Printable(options.storage_endpoint);
  if (connection->anonymous()) return status;
  KINETIC_ASSIGN_OR_RETURN(const auth::AccessToken token, connection->Token(stop));
  const auth::Identity identity = connection->GetIdentity();
  status.kind = identity.kind;
  status.account = identity.account.empty() ? token.account : identity.account;
  status.origin = identity.origin;
  status.project = identity.project;
  status.quota_project =
      options.quota_project.empty() ? identity.quota_project : options.quota_project;
  status.universe_domain = identity.universe_domain;
  status.renewable = !IsCallerToken(identity);
  status.scopes = token.scopes;
  if (status.renewable) {
    status.expiry = token.expiry;
    AssumeScopes(identity, status);
    return status;
  }
  status.expiry = auth::JwtExpiry(token.value);
  if (status.expiry && *status.expiry <= deps.clock.Now()) return Failure(ExpiredError(identity));
  if (status.expiry) return status;
  KINETIC_RETURN_IF_ERROR(
      SetTokenInfo(*connection, token_info, token, identity, status, std::move(stop)));
  return status;
}

}  // namespace kinetic::connect

namespace kinetic::inline v0 {

Result<CredentialStatus> CheckCredential(const CloudOptions& options, LogSink* log,
                                         std::stop_token stop) {
  const connect::Dependencies deps{.fs = PosixFileSystem(), .clock = SystemClock(), .log = log};
  return connect::CheckCredentialAt(options, deps, connect::kTokenInfoUrl, std::move(stop));
}

}  // namespace kinetic::inline v0
