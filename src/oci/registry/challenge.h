#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace kinetic::oci
