#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "base/time/clock.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::auth {

/// A bearer token.
struct AccessToken {
  std::string value;  ///< a secret
  WallTime expiry = WallTime::max();
  std::vector<std::string> scopes = {};  ///< empty: unknown
  std::string account = {};              ///< e-mail address; empty: unknown
};

/// The account of a credential and where it was found. Contains no secret.
struct Identity {
  std::string kind;           ///< "authorized_user", "service_account", …
  std::string account;        ///< e-mail address; empty: unknown
  std::string origin;         ///< "the file /home/ana/key.json", "the metadata server"
  std::string project;        ///< named by the credential; may be empty
  std::string quota_project;  ///< sent as x-goog-user-project; may be empty
  std::string universe_domain = "googleapis.com";
};

/// Fetches access tokens; TokenCache caches them. Not thread-safe.
class TokenSource {
 public:
  virtual ~TokenSource() = default;

  /// Fetches a new token.
  ///
  /// @errors  kUnauthenticated (revoked, expired, malformed) · kPermissionDenied · kUnavailable ·
  ///          kCancelled.
  virtual Result<AccessToken> Fetch(std::stop_token stop) = 0;

  virtual Identity GetIdentity() const = 0;
};

/// The scope that every Google service accepts.
inline constexpr std::string_view kCloudPlatformScope =
    "https://www.googleapis.com/auth/cloud-platform";

/// The scope with which a service can look up the account of a token.
inline constexpr std::string_view kEmailScope = "https://www.googleapis.com/auth/userinfo.email";

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
