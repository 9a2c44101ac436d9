#pragma once

#include "auth/token_endpoint.h"
#include "auth/token_source.h"
#include "base/file_system.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace kinetic::auth {

/// What a credential file may lead to.
struct Permissions {
  bool executables = false;  ///< GOOGLE_EXTERNAL_ACCOUNT_ALLOW_EXECUTABLES=1
  bool loopback = false;     ///< token services on this machine
  /// What a service account's key signs is exchanged for a token rather than shown as one, so that
  /// the server says what the key is worth.
  bool exchange_assertions = false;
  /// Tokens also say whose they are: Kubernetes knows accounts by their e-mail addresses.
  bool name_account = false;
  std::map<std::string, std::string> environment;  ///< of an executable
  std::string search_path;
};

/// What reading a credential needs. All of it outlives the source.
struct Surroundings {
  Network network;
  FileSystem* fs = nullptr;
  Permissions allowed;
};

/// Makes a source from the text of a credential file: authorized_user, service_account,
/// external_account, external_account_authorized_user or impersonated_service_account.
///
/// @param   origin  for messages: "the file /home/ana/key.json".
/// @errors  kUnauthenticated (malformed: which member) · kPermissionDenied (it would send secrets
/// to an
///          unknown host, or run a program that is not allowed) · kUnimplemented (a kind of
///          credential, by name).
/// @source  https://cloud.google.com/docs/authentication/application-default-credentials
Result<std::unique_ptr<TokenSource>> SourceFromJson(std::string_view json,
                                                    const std::string& origin,
                                                    const Surroundings& surroundings);

}  // namespace kinetic::auth
