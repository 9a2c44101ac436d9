#include "auth/external_source.h"

#include "kinetic/value.h"

#include "base/strings.h"
#include "base/try.h"

namespace kinetic::auth {
namespace {

constexpr const char* kIamScope = "https://www.googleapis.com/auth/iam";

}  // namespace

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
  const std::string whose = "the credential in " + credential_.who.origin;
  KINETIC_ASSIGN_OR_RETURN(std::string subject, subject_->Read(stop));
  KINETIC_ASSIGN_OR_RETURN(AccessToken token,
                           AskTokenEndpoint(network_, credential_.token_url,
                                            ExchangeForm(std::move(subject)), whose, stop));
  if (!credential_.impersonation) return token;
  return AskForImpersonation(network_, *credential_.impersonation, token, whose, stop);
}

}  // namespace kinetic::auth
