#pragma once

#include "auth/token/endpoint.h"
#include "auth/token_source.h"

#include <string>
#include <vector>

namespace kinetic::auth {

/// The key file of a service account.
struct ServiceAccountCredential {
  std::string private_key_pem;  ///< a secret
  std::string private_key_id;
  std::string token_url = "https://oauth2.googleapis.com/token";
  std::vector<std::string> scopes{std::string(kCloudPlatformScope)};
  /// Use the signed assertion itself as the token. Google's services accept it; the API server of a
  /// cluster does not.
  bool self_signed = true;
  Identity identity;
};

/// @source https://google.aip.dev/auth/4111 ·
///         https://developers.google.com/identity/protocols/oauth2/service-account#httprest
class ServiceAccountSource final : public TokenSource {
 public:
  ServiceAccountSource(ServiceAccountCredential credential, const Network& network)
      : credential_(std::move(credential)), network_(network) {}
  Result<AccessToken> Fetch(std::stop_token stop) override;
  Identity GetIdentity() const override { return credential_.identity; }

 private:
  Result<std::string> Assertion(WallTime now, bool for_exchange) const;

  ServiceAccountCredential credential_;
  Network network_;
};

}  // namespace kinetic::auth
