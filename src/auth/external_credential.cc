#include "auth/external_credential.h"

#include "auth/external_source.h"
#include "auth/subject_token.h"
#include "auth/trusted_hosts.h"
#include "base/strings.h"
#include "base/try.h"
#include "json/reader.h"

#include <algorithm>

namespace kinetic::auth {
namespace {

using Subject = Result<std::unique_ptr<SubjectToken>>;

TokenFormat FormatIn(const Value& source) {
  const Value* format = source.Find("format");
  const Value* field = format != nullptr ? format->Find("subject_token_field_name") : nullptr;
  const Value* type = format != nullptr ? format->Find("type") : nullptr;
  const bool json = type != nullptr && type->AsString() != nullptr && *type->AsString() == "json";
  if (!json) return {};
  const std::string* name = field != nullptr ? field->AsString() : nullptr;
  return {name != nullptr ? *name : "access_token"};
}

Subject UrlSubject(json::ObjectReader& reader, const Value& source,
                   const Surroundings& surroundings) {
  http::Request request;
  request.url = reader.String("url");
  if (reader.Has("headers")) {
    for (const auto& [name, value] : reader.Map("headers")) {
      if (value.AsString() != nullptr) request.headers.Add(name, *value.AsString());
    }
  }
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  return std::make_unique<UrlSubjectToken>(std::move(request), FormatIn(source),
                                           surroundings.network);
}

Subject ExecutableSubject(const Value& value, const ExternalCredential& credential,
                          const Surroundings& surroundings) {
  const Permissions& allowed = surroundings.allowed;
  if (!allowed.executables) {
    return Fail(ErrorCode::kPermissionDenied,
                credential.who.origin + " would run a program to get a token",
                "set GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1 if you trust the file");
  }
  json::ObjectReader reader(value, credential.who.origin + ": executable");
  Executable executable;
  KINETIC_ASSIGN_OR_RETURN(executable.argv, SplitCommand(reader.String("command")));
  const std::int64_t timeout = reader.OptionalInt("timeout_millis").value_or(30'000);
  executable.timeout = std::chrono::milliseconds(std::clamp<std::int64_t>(timeout, 5'000, 120'000));
  executable.output_file = reader.OptionalString("output_file").value_or("");
  KINETIC_RETURN_IF_ERROR(reader.Finish());
  executable.search_path = allowed.search_path;
  executable.environment = allowed.environment;
  auto& environment = executable.environment;
  environment["GOOGLE_EXTERNAL_ACCOUNT_AUDIENCE"] = credential.audience;
  environment["GOOGLE_EXTERNAL_ACCOUNT_TOKEN_TYPE"] = credential.subject_token_type;
  environment["GOOGLE_EXTERNAL_ACCOUNT_INTERACTIVE"] = "0";
  if (!executable.output_file.empty()) {
    environment["GOOGLE_EXTERNAL_ACCOUNT_OUTPUT_FILE"] = executable.output_file.native();
  }
  if (!credential.who.account.empty()) {
    environment["GOOGLE_EXTERNAL_ACCOUNT_IMPERSONATED_EMAIL"] = credential.who.account;
  }
  return std::make_unique<ExecutableSubjectToken>(std::move(executable), *surroundings.fs,
                                                  *surroundings.network.clock);
}

Subject SubjectFrom(const Value& source, const ExternalCredential& credential,
                    const Surroundings& surroundings) {
  json::ObjectReader reader(source, credential.who.origin + ": credential_source");
  if (const auto path = reader.OptionalString("file")) {
    return std::make_unique<FileSubjectToken>(*path, FormatIn(source), *surroundings.fs);
  }
  if (reader.Has("url") && !reader.Has("environment_id")) {
    return UrlSubject(reader, source, surroundings);
  }
  if (const Value* executable = reader.Member("executable")) {
    return ExecutableSubject(*executable, credential, surroundings);
  }
  return Fail(ErrorCode::kUnimplemented,
              credential.who.origin + ": only file, url and executable are supported as sources",
              "use one of these, or a service account");
}

/// Fills in what is not a member of its own in `credential`.
Status CheckHosts(const ExternalCredential& credential, bool loopback) {
  const std::string& domain = credential.who.universe_domain;
  KINETIC_RETURN_IF_ERROR(CheckTokenHost(credential.token_url, "token_url", domain, loopback));
  if (!credential.impersonation) return {};
  return CheckTokenHost(credential.impersonation->url, "service_account_impersonation_url", domain,
                        loopback);
}

}  // namespace

Result<std::unique_ptr<TokenSource>> ExternalFrom(const Value& value, Identity who,
                                                  const Surroundings& surroundings) {
  json::ObjectReader reader(value, who.origin);
  ExternalCredential credential;
  if (surroundings.allowed.name_account) credential.scopes.emplace_back(kEmailScope);
  credential.audience = reader.String("audience");
  credential.subject_token_type = reader.String("subject_token_type");
  credential.token_url = reader.OptionalString("token_url").value_or(credential.token_url);
  credential.client_id = reader.OptionalString("client_id").value_or("");
  credential.client_secret = reader.OptionalString("client_secret").value_or("");
  credential.workforce_project = reader.OptionalString("workforce_pool_user_project").value_or("");
  if (const auto url = reader.OptionalString("service_account_impersonation_url")) {
    credential.impersonation = Impersonation{.url = *url, .scopes = credential.scopes};
    const std::string name = url->substr(url->rfind('/') + 1);
    who.account = name.substr(0, name.find(':'));
  }
  const Value* source = reader.Member("credential_source");
  if (source == nullptr) reader.Reject("credential_source", "expected an object, found nothing");
  if (auto read = reader.Finish(); !read) {
    read.error().code = ErrorCode::kUnauthenticated;
    return Failure(std::move(read).error());
  }
  credential.who = std::move(who);
  KINETIC_RETURN_IF_ERROR(CheckHosts(credential, surroundings.allowed.loopback));
  KINETIC_ASSIGN_OR_RETURN(auto subject, SubjectFrom(*source, credential, surroundings));
  return std::make_unique<ExternalSource>(std::move(credential), std::move(subject),
                                          surroundings.network);
}

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
    return Fail(ErrorCode::kUnauthenticated, "the credential's command is no command line");
  }
  return words;
}

}  // namespace kinetic::auth
