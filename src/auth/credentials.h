#pragma once

#include "kinetic/value.h"

#include "auth/token_endpoint.h"
#include "auth/tokens.h"
#include "base/files/file_system.h"

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::auth {

/// What a credential file may cause.
struct CredentialPolicy {
  bool executables = false;  ///< run a program (GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1)
  bool loopback = false;     ///< use token services on this machine
  /// Exchange a service account's signed assertion for a token, instead of using the assertion as
  /// the token. The exchange verifies the key.
  bool exchange_assertions = false;
  /// Request the e-mail scope: Kubernetes identifies Google accounts by their e-mail addresses.
  bool email_scope = false;
  std::map<std::string, std::string> environment;  ///< of the program
  std::string search_path;                         ///< for the program
};

/// What reading a credential needs. Everything must outlive the token source.
struct CredentialContext {
  Network network;
  FileSystem* fs = nullptr;
  CredentialPolicy policy;
};

/// Creates a token source from the text of a credential file of type authorized_user,
/// service_account, external_account or impersonated_service_account.
///
/// @param   origin  for messages: "the file /home/ana/key.json".
/// @errors  kUnauthenticated (malformed) · kPermissionDenied (the file would send secrets to an
///          unknown host, or run a program without permission) · kUnimplemented (another type).
/// @source  https://cloud.google.com/docs/authentication/application-default-credentials
Result<std::unique_ptr<TokenSource>> SourceFromJson(std::string_view json,
                                                    const std::string& origin,
                                                    const CredentialContext& context);

/// SourceFromJson for the type external_account.
Result<std::unique_ptr<TokenSource>> SourceFromExternalAccount(const Value& value,
                                                               Identity identity,
                                                               const CredentialContext& context);

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
