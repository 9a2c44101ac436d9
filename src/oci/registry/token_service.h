#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"
#include "http/transport.h"
#include "oci/registry/login.h"
#include "oci/registry/reference.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

/// What a registry wants to be shown, in the WWW-Authenticate of a 401.
///
/// @source  RFC 9110, section 11.6.1; https://distribution.github.io/distribution/spec/auth/token/
struct Challenge {
  enum class Scheme : std::uint8_t { kBasic, kBearer };

  Scheme scheme = Scheme::kBasic;
  std::string realm;    ///< of kBearer: the address of the token service
  std::string service;  ///< may be empty
  std::string
      scope;  ///< what the request would have needed, one or several with spaces; may be empty
  std::string error;  ///< "insufficient_scope": what was shown gives no right to it; may be empty
};

/// The challenge to answer: a Bearer one if there is one, else a Basic one. Nothing: neither.
std::optional<Challenge> ParseChallenge(std::string_view field);

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
