#pragma once

#include "kinetic/result.h"

#include "base/clock.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::auth {

/// What a request shows: a bearer token and the moment until which it is worth something.
struct AccessToken {
  std::string value;  ///< a secret
  WallTime expiry = WallTime::max();
  std::vector<std::string> scopes = {};  ///< as far as the server says
  std::string account = {};              ///< as far as the server says
};

/// Whose credential it is and where it comes from; nothing of it is secret.
struct Identity {
  std::string kind;           ///< "authorized_user", "service_account", …
  std::string account;        ///< e-mail address, where it is known
  std::string origin;         ///< "the file /home/ana/key.json", "the metadata server"
  std::string project;        ///< that the credential names; may be empty
  std::string quota_project;  ///< sent as x-goog-user-project; may be empty
  std::string universe_domain = "googleapis.com";
};

/// A way to come by access tokens. Each Fetch is a new one; TokenCache keeps them.
///
/// @threads  one call at a time.
class TokenSource {
 public:
  virtual ~TokenSource() = default;

  /// @errors  kUnauthenticated (revoked, expired, malformed: what to do is in the hint) ·
  ///          kPermissionDenied · kUnavailable (could not ask) · kCancelled.
  virtual Result<AccessToken> Fetch(std::stop_token stop) = 0;

  virtual Identity Who() const = 0;
};

/// What every Google service accepts.
inline constexpr std::string_view kCloudPlatformScope =
    "https://www.googleapis.com/auth/cloud-platform";

/// What a service needs that asks Google whose a token is.
inline constexpr std::string_view kEmailScope = "https://www.googleapis.com/auth/userinfo.email";

}  // namespace kinetic::auth
