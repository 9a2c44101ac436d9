#include "kinetic/try.h"

#include "auth/credentials.h"
#include "auth/source/token_sources.h"
#include "base/strings.h"
#include "json/document.h"

#include <utility>

namespace kinetic::auth {
namespace {

using SourceResult = Result<std::unique_ptr<TokenSource>>;

/// The refresh token of a user, as `gcloud auth application-default login` stores it.
struct UserCredential {
  std::string client_id;
  std::string client_secret;  ///< a secret
  std::string refresh_token;  ///< a secret
  std::string token_url = "https://oauth2.googleapis.com/token";
  Identity identity;
};

/// @source https://developers.google.com/identity/protocols/oauth2/native-app#offline
class UserSource final : public TokenSource {
 public:
  UserSource(UserCredential credential, const Network& network)
      : credential_(std::move(credential)), network_(network) {}
  Result<AccessToken> Fetch(std::stop_token stop) override {
    const Form form{{"grant_type", "refresh_token"},
                    {"client_id", credential_.client_id},
                    {"client_secret", credential_.client_secret},
                    {"refresh_token", credential_.refresh_token}};
    return RequestToken(network_, credential_.token_url, form,
                        "the credential in " + credential_.identity.origin, std::move(stop));
  }
  Identity GetIdentity() const override { return credential_.identity; }

 private:
  UserCredential credential_;
  Network network_;
};

/// Uses another credential to request tokens of a service account.
///
/// @source https://cloud.google.com/iam/docs/service-account-impersonation
class ImpersonatedSource final : public TokenSource {
 public:
  ImpersonatedSource(std::unique_ptr<TokenSource> source, Impersonation impersonation,
                     Identity identity, const Network& network)
      : source_(std::move(source)),
        impersonation_(std::move(impersonation)),
        identity_(std::move(identity)),
        network_(network) {}
  Result<AccessToken> Fetch(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const AccessToken token, source_->Fetch(stop));
    return RequestImpersonatedToken(network_, impersonation_, token,
                                    "the credential in " + identity_.origin, stop);
  }
  Identity GetIdentity() const override { return identity_; }

 private:
  std::unique_ptr<TokenSource> source_;
  Impersonation impersonation_;
  Identity identity_;
  Network network_;
};

Identity ReadIdentity(json::ObjectReader& reader, const std::string& kind,
                      const std::string& origin) {
  Identity identity;
  identity.kind = kind;
  identity.origin = origin;
  identity.quota_project = reader.OptionalString("quota_project_id").value_or("");
  identity.universe_domain = reader.OptionalString("universe_domain").value_or("googleapis.com");
  return identity;
}

/// Marks an error in the file as an authentication error.
Error Malformed(Error error) {
  error.code = ErrorCode::kUnauthenticated;
  error.hint = "create the credential again, or use another one";
  return error;
}

SourceResult ReadUser(json::ObjectReader& reader, Identity identity,
                      const CredentialContext& context) {
  UserCredential credential;
  credential.client_id = reader.String("client_id");
  credential.client_secret = reader.String("client_secret");
  credential.refresh_token = reader.String("refresh_token");
  identity.account = reader.OptionalString("account").value_or("");
  credential.identity = std::move(identity);
  if (auto read = reader.Finish(); !read) return Failure(Malformed(std::move(read).error()));
  // A token_uri in the file is used only for a fake server on this machine.
  const std::string url = reader.OptionalString("token_uri").value_or("");
  if (context.policy.loopback && url.starts_with("http://")) {
    KINETIC_RETURN_IF_ERROR(
        CheckTokenHost(url, "token_uri", credential.identity.universe_domain, true));
    credential.token_url = url;
  }
  return std::make_unique<UserSource>(std::move(credential), context.network);
}

SourceResult ReadServiceAccount(json::ObjectReader& reader, Identity identity,
                                const CredentialContext& context) {
  ServiceAccountCredential credential;
  credential.self_signed = !context.policy.exchange_assertions;
  if (context.policy.email_scope) credential.scopes.emplace_back(kEmailScope);
  credential.private_key_pem = reader.String("private_key");
  credential.private_key_id = reader.String("private_key_id");
  identity.account = reader.String("client_email");
  identity.project = reader.OptionalString("project_id").value_or("");
  credential.token_url = reader.OptionalString("token_uri").value_or(credential.token_url);
  credential.identity = std::move(identity);
  if (auto read = reader.Finish(); !read) return Failure(Malformed(std::move(read).error()));
  KINETIC_RETURN_IF_ERROR(CheckTokenHost(credential.token_url, "token_uri",
                                         credential.identity.universe_domain,
                                         context.policy.loopback));
  return std::make_unique<ServiceAccountSource>(std::move(credential), context.network);
}

/// Returns the account in "…/serviceAccounts/ana@p.iam.gserviceaccount.com:generateAccessToken".
std::string ParseAccount(std::string_view url) {
  url = url.substr(url.rfind('/') + 1);
  return std::string(url.substr(0, url.find(':')));
}

SourceResult ReadImpersonated(json::ObjectReader& reader, Identity identity,
                              const CredentialContext& context) {
  Impersonation impersonation;
  impersonation.url = reader.String("service_account_impersonation_url");
  impersonation.scopes = {std::string(kCloudPlatformScope)};
  if (context.policy.email_scope) impersonation.scopes.emplace_back(kEmailScope);
  if (reader.Has("delegates")) {
    for (const Value& delegate : reader.List("delegates")) {
      if (delegate.AsString() != nullptr) impersonation.delegates.push_back(*delegate.AsString());
    }
  }
  const Value* inner = reader.Member("source_credentials");
  if (inner == nullptr) reader.Reject("source_credentials", "expected an object, found nothing");
  if (auto read = reader.Finish(); !read) return Failure(Malformed(std::move(read).error()));
  KINETIC_RETURN_IF_ERROR(CheckTokenHost(impersonation.url, "service_account_impersonation_url",
                                         identity.universe_domain, context.policy.loopback));
  KINETIC_ASSIGN_OR_RETURN(auto source, SourceFromJson(inner->ToJson(), identity.origin, context));
  identity.account = ParseAccount(impersonation.url);
  return std::make_unique<ImpersonatedSource>(std::move(source), std::move(impersonation),
                                              std::move(identity), context.network);
}

}  // namespace

SourceResult SourceFromJson(std::string_view json, const std::string& origin,
                            const CredentialContext& context) {
  const auto value = Value::FromJson(json);
  if (!value) return Failure(Malformed(Error(value.error()).Context(origin)));
  json::ObjectReader reader(*value, origin);
  const std::string kind = reader.String("type");
  Identity identity = ReadIdentity(reader, kind, origin);
  if (auto read = reader.Finish(); !read) return Failure(Malformed(std::move(read).error()));
  if (kind == "authorized_user") return ReadUser(reader, std::move(identity), context);
  if (kind == "service_account") return ReadServiceAccount(reader, std::move(identity), context);
  if (kind == "impersonated_service_account") {
    return ReadImpersonated(reader, std::move(identity), context);
  }
  if (kind == "external_account")
    return SourceFromExternalAccount(*value, std::move(identity), context);
  return Fail(ErrorCode::kUnimplemented,
              origin + ": credentials of type '" + Printable(kind) + "' are not supported",
              "use a service account key, workload identity federation, or run `gcloud auth "
              "application-default login`");
}

}  // namespace kinetic::auth
