#include "auth/credential_file.h"

#include "auth/external_credential.h"
#include "auth/impersonated_source.h"
#include "auth/service_account_source.h"
#include "auth/trusted_hosts.h"
#include "auth/user_source.h"
#include "base/strings.h"
#include "base/try.h"
#include "json/reader.h"

#include <utility>

namespace kinetic::auth {
namespace {

using Made = Result<std::unique_ptr<TokenSource>>;

Identity IdentityOf(json::ObjectReader& reader, const std::string& kind,
                    const std::string& origin) {
  Identity who;
  who.kind = kind;
  who.origin = origin;
  who.quota_project = reader.OptionalString("quota_project_id").value_or("");
  who.universe_domain = reader.OptionalString("universe_domain").value_or("googleapis.com");
  return who;
}

/// What a member says is malformed, seen by whoever is asked for a credential.
Error Malformed(Error error) {
  error.code = ErrorCode::kUnauthenticated;
  error.hint = "make the credential anew, or name another";
  return error;
}

Made UserFrom(json::ObjectReader& reader, Identity who, const Surroundings& surroundings) {
  UserCredential credential;
  credential.client_id = reader.String("client_id");
  credential.client_secret = reader.String("client_secret");
  credential.refresh_token = reader.String("refresh_token");
  who.account = reader.OptionalString("account").value_or("");
  credential.who = std::move(who);
  if (auto read = reader.Finish(); !read) return Failure(Malformed(std::move(read).error()));
  // The file's own token_uri counts only for a stand-in on this machine.
  const std::string url = reader.OptionalString("token_uri").value_or("");
  if (surroundings.allowed.loopback && url.starts_with("http://")) {
    KINETIC_RETURN_IF_ERROR(CheckTokenHost(url, "token_uri", credential.who.universe_domain, true));
    credential.token_url = url;
  }
  return std::make_unique<UserSource>(std::move(credential), surroundings.network);
}

Made ServiceAccountFrom(json::ObjectReader& reader, Identity who,
                        const Surroundings& surroundings) {
  ServiceAccountCredential credential;
  credential.self_signed = !surroundings.allowed.exchange_assertions;
  if (surroundings.allowed.name_account) credential.scopes.emplace_back(kEmailScope);
  credential.private_key_pem = reader.String("private_key");
  credential.private_key_id = reader.String("private_key_id");
  who.account = reader.String("client_email");
  who.project = reader.OptionalString("project_id").value_or("");
  credential.token_url = reader.OptionalString("token_uri").value_or(credential.token_url);
  credential.who = std::move(who);
  if (auto read = reader.Finish(); !read) return Failure(Malformed(std::move(read).error()));
  KINETIC_RETURN_IF_ERROR(CheckTokenHost(credential.token_url, "token_uri",
                                         credential.who.universe_domain,
                                         surroundings.allowed.loopback));
  return std::make_unique<ServiceAccountSource>(std::move(credential), surroundings.network);
}

/// "…/serviceAccounts/ana@p.iam.gserviceaccount.com:generateAccessToken" names the account.
std::string AccountIn(std::string_view url) {
  url = url.substr(url.rfind('/') + 1);
  return std::string(url.substr(0, url.find(':')));
}

Made ImpersonatedFrom(json::ObjectReader& reader, Identity who, const Surroundings& surroundings) {
  Impersonation wanted;
  wanted.url = reader.String("service_account_impersonation_url");
  wanted.scopes = {std::string(kCloudPlatformScope)};
  if (surroundings.allowed.name_account) wanted.scopes.emplace_back(kEmailScope);
  if (reader.Has("delegates")) {
    for (const Value& delegate : reader.List("delegates")) {
      if (delegate.AsString() != nullptr) wanted.delegates.push_back(*delegate.AsString());
    }
  }
  const Value* inner = reader.Member("source_credentials");
  if (inner == nullptr) reader.Reject("source_credentials", "expected an object, found nothing");
  if (auto read = reader.Finish(); !read) return Failure(Malformed(std::move(read).error()));
  KINETIC_RETURN_IF_ERROR(CheckTokenHost(wanted.url, "service_account_impersonation_url",
                                         who.universe_domain, surroundings.allowed.loopback));
  KINETIC_ASSIGN_OR_RETURN(auto source, SourceFromJson(inner->ToJson(), who.origin, surroundings));
  who.account = AccountIn(wanted.url);
  return std::make_unique<ImpersonatedSource>(std::move(source), std::move(wanted), std::move(who),
                                              surroundings.network);
}

}  // namespace

Made SourceFromJson(std::string_view json, const std::string& origin,
                    const Surroundings& surroundings) {
  const auto value = Value::FromJson(json);
  if (!value) return Failure(Malformed(Error(value.error()).Context(origin)));
  json::ObjectReader reader(*value, origin);
  const std::string kind = reader.String("type");
  Identity who = IdentityOf(reader, kind, origin);
  if (auto read = reader.Finish(); !read) return Failure(Malformed(std::move(read).error()));
  if (kind == "authorized_user") return UserFrom(reader, std::move(who), surroundings);
  if (kind == "service_account") return ServiceAccountFrom(reader, std::move(who), surroundings);
  if (kind == "impersonated_service_account") {
    return ImpersonatedFrom(reader, std::move(who), surroundings);
  }
  if (kind == "external_account") return ExternalFrom(*value, std::move(who), surroundings);
  return Fail(ErrorCode::kUnimplemented,
              origin + ": credentials of type '" + Printable(kind) + "' are not supported",
              "use a service account key, workload identity federation or gcloud's login");
}

}  // namespace kinetic::auth
