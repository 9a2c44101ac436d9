#include "auth/user_source.h"

namespace kinetic::auth {

Result<AccessToken> UserSource::Fetch(std::stop_token stop) {
  const Form form{{"grant_type", "refresh_token"},
                  {"client_id", credential_.client_id},
                  {"client_secret", credential_.client_secret},
                  {"refresh_token", credential_.refresh_token}};
  return AskTokenEndpoint(network_, credential_.token_url, form,
                          "the credential in " + credential_.who.origin, std::move(stop));
}

}  // namespace kinetic::auth
