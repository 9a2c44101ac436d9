#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/time/clock.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::auth {

/// Returns a JSON Web Token signed with RS256.
///
/// @param   key_pem  a private key in PKCS#8 PEM, as in service account files.
/// @param   key_id   identifies the key to the server.
/// @errors  kInvalidArgument: not an RSA private key. The message contains nothing of the key.
/// @source  RFC 7515, RFC 7518
Result<std::string> SignJwt(const std::string& key_pem, const std::string& key_id,
                            const Value& claims);

/// Returns the claims of a JSON Web Token, or nullopt for another kind of token. The signature is
/// not verified: use the claims for display only.
std::optional<Value> ParseJwtClaims(std::string_view token);

/// Returns when a JSON Web Token expires, or nullopt if it is another kind of token, such as
/// Google's opaque ones.
std::optional<WallTime> JwtExpiry(std::string_view token);

}  // namespace kinetic::auth
