#include "kinetic/value.h"

#include "auth/jwt.h"
#include "auth/token_endpoint.h"
#include "base/strings.h"
#include "base/try.h"
#include "connect/credential.h"
#include "json/document.h"

#include <utility>

namespace kinetic::connect {
namespace {

/// Whether Google is to be asked whose token it is, because nothing here says so.
bool IsGivenToken(const auth::Identity& who) {
  return who.kind == "token" || who.kind == "token_file";
}

Error Ended(const auth::Identity& who) {
  return {ErrorCode::kUnauthenticated,
          who.origin + " has expired, or is none of Google's",
          "give a new one, or a credential that kinetic can renew",
          {}};
}

Result<Value> AskTokenInfo(Connection& connection, const std::string& url, const std::string& token,
                           const auth::Identity& who, std::stop_token stop) {
  http::Request request;
  request.method = "POST";
  request.url = url;
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}};
  request.body = std::make_shared<http::BytesBody>(auth::EncodeForm({{"access_token", token}}));
  KINETIC_ASSIGN_OR_RETURN(const http::Response response,
                           connection.Plain().Send(request, std::move(stop)));
  if (response.status == 400 || response.status == 401) {
    return Failure(Ended(who));
  }
  auto value = Value::FromJson(response.body);
  if (response.status == 200 && value && value->AsMap() != nullptr) return value;
  return Fail(ErrorCode::kUnavailable,
              "asking Google whose token it is: status " + std::to_string(response.status));
}

void TakeScopes(std::string_view text, CredentialStatus& status) {
  for (const std::string_view scope : Split(text, ' ')) {
    if (!scope.empty()) status.scopes.emplace_back(scope);
  }
}

Status AskWhose(Connection& connection, const std::string& url, const auth::AccessToken& token,
                const auth::Identity& who, CredentialStatus& status, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const Value info,
                           AskTokenInfo(connection, url, token.value, who, std::move(stop)));
  status.account = json::TextAt(info, "email");
  TakeScopes(json::TextAt(info, "scope"), status);
  if (const auto seconds = ParseInt(json::TextAt(info, "exp"))) {
    status.expiry = WallTime(std::chrono::seconds(*seconds));
  }
  return {};
}

/// What was asked for, where the server does not say what it gave.
void AssumeScopes(const auth::Identity& who, CredentialStatus& status) {
  if (!status.scopes.empty() || who.kind == "authorized_user" || who.kind == "metadata") return;
  status.scopes.emplace_back(auth::kCloudPlatformScope);
}

}  // namespace

Result<CredentialStatus> Check(const CloudOptions& options, const Seams& seams,
                               const std::string& token_info, std::stop_token stop) {
  Seams proving = seams;
  proving.prove_keys = true;
  KINETIC_ASSIGN_OR_RETURN(const auto connection, Connection::Open(options, proving, stop));
  CredentialStatus status;
  status.kind = "none";
  status.origin = "the storage endpoint " + Printable(options.storage_endpoint);
  if (connection->anonymous()) return status;
  KINETIC_ASSIGN_OR_RETURN(const auth::AccessToken token, connection->Token(stop));
  const auth::Identity who = connection->GetIdentity();
  status.kind = who.kind;
  status.account = who.account.empty() ? token.account : who.account;
  status.origin = who.origin;
  status.project = who.project;
  status.quota_project = options.quota_project.empty() ? who.quota_project : options.quota_project;
  status.universe_domain = who.universe_domain;
  status.renewable = !IsGivenToken(who);
  status.scopes = token.scopes;
  if (status.renewable) {
    status.expiry = token.expiry;
    AssumeScopes(who, status);
    return status;
  }
  status.expiry = auth::JwtExpiry(token.value);
  if (status.expiry && *status.expiry <= seams.clock.Now()) return Failure(Ended(who));
  if (status.expiry) return status;
  KINETIC_RETURN_IF_ERROR(AskWhose(*connection, token_info, token, who, status, std::move(stop)));
  return status;
}

}  // namespace kinetic::connect

namespace kinetic {

Result<CredentialStatus> CheckCredential(const CloudOptions& options, LogSink* log,
                                         std::stop_token stop) {
  const connect::Seams seams{.fs = PosixFileSystem(), .clock = SystemClock(), .log = log};
  return connect::Check(options, seams, connect::kTokenInfo, std::move(stop));
}

}  // namespace kinetic
