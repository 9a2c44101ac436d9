#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"

#include <stop_token>
#include <string>
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

}  // namespace kinetic::auth
