#pragma once

#include "auth/token_endpoint.h"
#include "auth/token_source.h"

#include <string>
#include <vector>

namespace kinetic::auth {

/// A key file of a service account.
struct ServiceAccountCredential {
  std::string private_key_pem;  ///< a secret
  std::string private_key_id;
  std::string token_url = "https://oauth2.googleapis.com/token";
  std::vector<std::string> scopes{std::string(kCloudPlatformScope)};
  /// True: the signed assertion is the token itself, and nothing is asked. Google's services take
  /// it; the API server of a cluster does not.
  bool self_signed = true;
  Identity who;
};

/// @source https://google.aip.dev/auth/4111 ·
///         https://developers.google.com/identity/protocols/oauth2/service-account#httprest
class ServiceAccountSource final : public TokenSource {
 public:
  ServiceAccountSource(ServiceAccountCredential credential, const Network& network)
      : credential_(std::move(credential)), network_(network) {}
  Result<AccessToken> Fetch(std::stop_token stop) override;
  Identity Who() const override { return credential_.who; }

 private:
  Result<std::string> Assertion(WallTime now, bool for_exchange) const;

  ServiceAccountCredential credential_;
  Network network_;
};

}  // namespace kinetic::auth
