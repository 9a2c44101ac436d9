#pragma once

#include "auth/subject_token.h"
#include "auth/token_endpoint.h"
#include "auth/token_source.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::auth {

/// A credential of another identity provider, exchanged at Google's token service, and where it
/// says so for that of a service account.
struct ExternalCredential {
  std::string audience;
  std::string subject_token_type;
  std::string token_url = "https://sts.googleapis.com/v1/token";
  std::string client_id;          ///< may be empty
  std::string client_secret;      ///< a secret
  std::string workforce_project;  ///< may be empty
  std::optional<Impersonation> impersonation;
  std::vector<std::string> scopes{std::string(kCloudPlatformScope)};
  Identity who;
};

/// @source https://google.aip.dev/auth/4117 · RFC 8693
class ExternalSource final : public TokenSource {
 public:
  ExternalSource(ExternalCredential credential, std::unique_ptr<SubjectToken> subject,
                 const Network& network)
      : credential_(std::move(credential)), subject_(std::move(subject)), network_(network) {}
  Result<AccessToken> Fetch(std::stop_token stop) override;
  Identity Who() const override { return credential_.who; }

 private:
  Form ExchangeForm(std::string subject_token) const;

  ExternalCredential credential_;
  std::unique_ptr<SubjectToken> subject_;
  Network network_;
};

}  // namespace kinetic::auth
