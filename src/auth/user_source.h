#pragma once

#include "auth/token_endpoint.h"
#include "auth/token_source.h"

namespace kinetic::auth {

/// What `gcloud auth application-default login` leaves: a refresh token of a person.
struct UserCredential {
  std::string client_id;
  std::string client_secret;  ///< a secret
  std::string refresh_token;  ///< a secret
  std::string token_url = "https://oauth2.googleapis.com/token";
  Identity who;
};

/// @source https://developers.google.com/identity/protocols/oauth2/native-app#offline
class UserSource final : public TokenSource {
 public:
  UserSource(UserCredential credential, const Network& network)
      : credential_(std::move(credential)), network_(network) {}
  Result<AccessToken> Fetch(std::stop_token stop) override;
  Identity Who() const override { return credential_.who; }

 private:
  UserCredential credential_;
  Network network_;
};

}  // namespace kinetic::auth
