#pragma once

#include "auth/credential_file.h"
#include "auth/token_source.h"

#include <memory>
#include <string>

namespace kinetic::auth {

/// Where the caller would have a credential looked for; empty members are passed over.
struct Places {
  std::string token;                  ///< given as it is
  Path token_file;                    ///< read again as it changes
  Path credential_file;               ///< GOOGLE_APPLICATION_CREDENTIALS: must be there when named
  Path well_known_file;               ///< ~/.config/gcloud/application_default_credentials.json
  std::string metadata_url;           ///< "http://metadata.google.internal"; empty: not to be asked
  http::Transport* direct = nullptr;  ///< without a proxy, for the metadata server
};

/// Finds the credential as Google's own libraries do: what is given, then the file named, then the
/// well-known file, then the metadata server.
///
/// @errors  kUnauthenticated, with the places looked at and what to do · those of SourceFromJson.
/// @source  https://cloud.google.com/docs/authentication/application-default-credentials#order
Result<std::unique_ptr<TokenSource>> FindCredential(const Places& places,
                                                    const Surroundings& surroundings,
                                                    std::stop_token stop);

}  // namespace kinetic::auth
