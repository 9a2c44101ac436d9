#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::auth {

/// A signed assertion: header and claims as base64url JSON, with an RSA signature over SHA-256.
///
/// @param   key_pem  a private key in PKCS#8 PEM, as service account files have it.
/// @param   key_id   names the key for the server.
/// @errors  kInvalidArgument: the key is none, or no RSA key. The message holds nothing of it.
/// @source  RFC 7515, RFC 7518 (RS256)
Result<std::string> SignJwt(const std::string& key_pem, const std::string& key_id,
                            const Value& claims);

/// What a signed token says of itself. Nobody has verified it: it is worth showing, and no more.
/// Nothing: it is another kind of token.
std::optional<Value> ClaimsOf(std::string_view token);

}  // namespace kinetic::auth
