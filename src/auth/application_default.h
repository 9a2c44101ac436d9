#pragma once

#include "auth/credential_file.h"

#include <memory>
#include <stop_token>
#include <string>

namespace kinetic::auth {

/// Where to look for a credential. Empty fields are skipped.
struct CredentialLocations {
  std::string token;                  ///< an access token
  Path token_file;                    ///< a file with an access token
  Path credential_file;               ///< as in GOOGLE_APPLICATION_CREDENTIALS
  Path well_known_file;               ///< ~/.config/gcloud/application_default_credentials.json
  std::string metadata_url;           ///< "http://metadata.google.internal"
  http::Transport* direct = nullptr;  ///< without a proxy, for the metadata server
};

/// Finds the application default credential in the order of the fields of `locations`, as Google's
/// libraries do.
///
/// @errors  kUnauthenticated: none was found · those of SourceFromJson.
/// @source  https://cloud.google.com/docs/authentication/application-default-credentials#order
Result<std::unique_ptr<TokenSource>> FindCredential(const CredentialLocations& locations,
                                                    const CredentialContext& context,
                                                    std::stop_token stop);

}  // namespace kinetic::auth
