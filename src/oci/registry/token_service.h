#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"
#include "http/transport.h"
#include "oci/registry/address.h"
#include "oci/registry/challenge.h"
#include "oci/registry/login.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::oci {

/// What a registry takes instead of a login, for a while.
struct RegistryToken {
  std::string value;  ///< a secret
  WallTime expiry;
};

/// What a token service is asked.
struct TokenQuestion {
  RegistryAddress registry;         ///< who sent us there
  Challenge challenge;              ///< kBearer
  std::vector<std::string> scopes;  ///< "repository:team/app:pull,push"
  std::optional<Login> login;       ///< none: the token is for everybody
};

/// Asks the token service of a registry, once. It is asked over TLS, or where the registry itself
/// is on this machine or asked without it, and no redirection is followed.
///
/// @errors  kUnauthenticated (the login is refused) · kPermissionDenied (it has no such right, or
///          would go to a server that it must not be shown to) · kUnavailable (a passing fault) ·
///          kDataLoss (an answer that is none) · those of http::Transport::Stream.
/// @source  https://distribution.github.io/distribution/spec/auth/token/ and …/auth/oauth/
Result<RegistryToken> AskForToken(http::Transport& transport, const Clock& clock,
                                  const TokenQuestion& question, std::stop_token stop);

}  // namespace kinetic::oci
