#include "kinetic/try.h"

#include "auth/credentials.h"
#include "auth/source/subject_token.h"
#include "base/strings.h"
#include "json/document.h"

#include <algorithm>
#include <optional>

namespace kinetic::auth {
namespace {

using SubjectResult = Result<std::unique_ptr<SubjectToken>>;

constexpr const char* kIamScope = "https://www.googleapis.com/auth/iam";

/// A credential of another identity provider. Google's token service exchanges it for a Google
/// token and, with `impersonation`, for the token of a service account.
struct ExternalCredential {
  std::string audience;
  std::string subject_token_type;
  std::string token_url = "https://sts.googleapis.com/v1/token";
  std::string client_id;          ///< may be empty
  std::string client_secret;      ///< a secret
  std::string workforce_project;  ///< may be empty
  std::optional<Impersonation> impersonation;
  std::vector<std::string> scopes{std::string(kCloudPlatformScope)};
  Identity identity;
};

/// @source https://google.aip.dev/auth/4117 · RFC 8693
class ExternalSource final : public TokenSource {
 public:
  ExternalSource(ExternalCredential credential, std::unique_ptr<SubjectToken> subject,
                 const Network& network)
      : credential_(std::move(credential)), subject_(std::move(subject)), network_(network) {}
  Result<AccessToken> Fetch(std::stop_token stop) override;
  Identity GetIdentity() const override { return credential_.identity; }

 private:
  Form ExchangeForm(std::string subject_token) const;

  ExternalCredential credential_;
  std::unique_ptr<SubjectToken> subject_;
  Network network_;
};

Form ExternalSource::ExchangeForm(std::string subject_token) const {
  Form form{{"grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"},
            {"audience", credential_.audience},
            {"scope", credential_.impersonation ? kIamScope : Join(credential_.scopes, " ")},
            {"requested_token_type", "urn:ietf:params:oauth:token-type:access_token"},
            {"subject_token", std::move(subject_token)},
            {"subject_token_type", credential_.subject_token_type}};
  if (!credential_.client_id.empty()) {
    form.emplace_back("client_id", credential_.client_id);
    form.emplace_back("client_secret", credential_.client_secret);
  } else if (!credential_.workforce_project.empty()) {
    Value options{Value::Map{}};
    options.Set("userProject", credential_.workforce_project);
    form.emplace_back("options", options.ToJson());
  }
  return form;
}

Result<AccessToken> ExternalSource::Fetch(std::stop_token stop) {
  const std::string description = "the credential in " + credential_.identity.origin;
  KINETIC_ASSIGN_OR_RETURN(std::string subject, subject_->Read(stop));
  KINETIC_ASSIGN_OR_RETURN(AccessToken token,
                           RequestToken(network_, credential_.token_url,
                                        ExchangeForm(std::move(subject)), description, stop));
  if (!credential_.impersonation) return token;
  return RequestImpersonatedToken(network_, *credential_.impersonation, token, description, stop);
}

/// Splits a command line at blanks. Quotes and backslashes work as in a shell; nothing is expanded.
Result<std::vector<std::string>> SplitCommand(std::string_view command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = '\0';
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == '\0' && (c == ' ' || c == '\t')) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (c == quote) {
      quote = '\0';
    } else if (quote == '\0' && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      words.back() += command[++i];
    } else {
      words.back() += c;
    }
  }
  if (words.empty() || quote != '\0') {
    return Fail(ErrorCode::kUnauthenticated,
                "the command in the credential file is not a valid command line");
  }
  return words;
}

TokenFormat ReadFormat(const Value& source) {
  const Value* format = source.Find("format");
  const Value* field = format != nullptr ? format->Find("subject_token_field_name") : nullptr;
  const Value* type = format != nullptr ? format->Find("type") : nullptr;
  const bool json = type != nullptr && type->AsString() != nullptr && *type->AsString() == "json";
  if (!json) return {};
  const std::string* name = field != nullptr ? field->AsString() : nullptr;
  return {name != nullptr ? *name : "access_token"};
}

SubjectResult ReadUrl(json::ObjectReader& reader, const Value& source,
                      const CredentialContext& context) {
  http::Request request;
  request.url = reader.String("url");
  if (reader.Has("headers")) {
    for (const auto& [name, value] : reader.Map("headers")) {
      if (value.AsString() != nullptr) request.headers.Add(name, *value.AsString());
    }
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return std::make_unique<UrlSubjectToken>(std::move(request), ReadFormat(source), context.network);
}

SubjectResult ReadExecutable(const Value& value, const ExternalCredential& credential,
                             const CredentialContext& context) {
  const CredentialPolicy& policy = context.policy;
  if (!policy.executables) {
    return Fail(ErrorCode::kPermissionDenied,
                credential.identity.origin + " runs a program to get a token, which is not allowed",
                "set GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1 if you trust the file");
  }
  json::ObjectReader reader(value, credential.identity.origin + ": executable");
  Executable executable;
  KINETIC_ASSIGN_OR_RETURN(executable.argv, SplitCommand(reader.String("command")));
  const std::int64_t timeout = reader.OptionalInt("timeout_millis").value_or(30'000);
  executable.timeout = std::chrono::milliseconds(std::clamp<std::int64_t>(timeout, 5'000, 120'000));
  executable.output_file = reader.OptionalString("output_file").value_or("");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  executable.search_path = policy.search_path;
  executable.environment = policy.environment;
  auto& environment = executable.environment;
  environment["GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE"] = credential.audience;
  environment["GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE"] = credential.subject_token_type;
  environment["GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE"] = "0";
  if (!executable.output_file.empty()) {
    environment["GOOGLE_EXTERNAL_ACCOUNT_OUTPUT_FILE"] = executable.output_file.native();
  }
  if (!credential.identity.account.empty()) {
    environment["GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL"] = credential.identity.account;
  }
  return std::make_unique<ExecutableSubjectToken>(std::move(executable), *context.fs,
                                                  *context.network.clock);
}

SubjectResult ReadSubject(const Value& source, const ExternalCredential& credential,
                          const CredentialContext& context) {
  json::ObjectReader reader(source, credential.identity.origin + ": credential_source");
  if (const auto path = reader.OptionalString("file")) {
    return std::make_unique<FileSubjectToken>(*path, ReadFormat(source), *context.fs);
  }
  if (reader.Has("url") && !reader.Has("environment_id")) {
    return ReadUrl(reader, source, context);
  }
  if (const Value* executable = reader.Member("executable")) {
    return ReadExecutable(*executable, credential, context);
  }
  return Fail(
      ErrorCode::kUnimplemented,
      credential.identity.origin + ": credential_source must have `file`, `url` or `executable`",
      "use one of these, or a service account");
}

Status CheckHosts(const ExternalCredential& credential, bool loopback) {
  const std::string& domain = credential.identity.universe_domain;
  KINETIC_RETURN_IF_ERROR(CheckTokenHost(credential.token_url, "token_url", domain, loopback));
  if (!credential.impersonation) return {};
  return CheckTokenHost(credential.impersonation->url, "service_account_impersonation_url", domain,
                        loopback);
}

}  // namespace

Result<std::unique_ptr<TokenSource>> SourceFromExternalAccount(const Value& value,
                                                               Identity identity,
                                                               const CredentialContext& context) {
  json::ObjectReader reader(value, identity.origin);
  ExternalCredential credential;
  if (context.policy.email_scope) credential.scopes.emplace_back(kEmailScope);
  credential.audience = reader.String("audience");
  credential.subject_token_type = reader.String("subject_token_type");
  credential.token_url = reader.OptionalString("token_url").value_or(credential.token_url);
  credential.client_id = reader.OptionalString("client_id").value_or("");
  credential.client_secret = reader.OptionalString("client_secret").value_or("");
  credential.workforce_project = reader.OptionalString("workforce_pool_user_project").value_or("");
  if (const auto url = reader.OptionalString("service_account_impersonation_url")) {
    credential.impersonation = Impersonation{.url = *url, .scopes = credential.scopes};
    const std::string name = url->substr(url->rfind('/') + 1);
    identity.account = name.substr(0, name.find(':'));
  }
  const Value* source = reader.Member("credential_source");
  if (source == nullptr) reader.Reject("credential_source", "expected an object, found nothing");
  if (auto read = reader.Finish(); !read) {
    read.error().code = ErrorCode::kUnauthenticated;
    return Failure(std::move(read).error());
  }
  credential.identity = std::move(identity);
  KINETIC_RETURN_IF_ERROR(CheckHosts(credential, context.policy.loopback));
  KINETIC_ASSIGN_OR_RETURN(auto subject, ReadSubject(*source, credential, context));
  return std::make_unique<ExternalSource>(std::move(credential), std::move(subject),
                                          context.network);
}

}  // namespace kinetic::auth
