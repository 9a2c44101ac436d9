#pragma once

#include "kinetic/result.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::oci {

struct RegistryAddress {
  std::string name;  ///< as in references: "docker.io", "localhost:5000"
  std::string url;   ///< "https://registry-1.docker.io", without a trailing '/'
};

/// @param plain_http  use HTTP without TLS, which is the default for loopback addresses.
RegistryAddress ResolveRegistry(const std::string& registry, bool plain_http);

/// Returns whether a registry accepts Google access tokens: Artifact Registry or its predecessor.
///
/// @source  https://cloud.google.com/artifact-registry/docs/docker/authentication#token
bool IsGoogleRegistry(std::string_view registry);

/// Credentials for a registry.
struct Login {
  std::string username;
  std::string password;        ///< a secret
  std::string identity_token;  ///< a secret for token services, used instead of a password
  std::string origin;          ///< "the file /home/ana/.docker/config.json"
  bool registry_only = false;  ///< never sent to another host, such as a token service
};

/// @threads  one call at a time.
class LoginSource {
 public:
  virtual ~LoginSource() = default;

  /// Returns the login for a registry ("docker.io", "localhost:5000"), or nullopt if there is none.
  ///
  /// @errors  kFailedPrecondition: the source cannot be read or run · kUnauthenticated ·
  ///          kUnavailable · kCancelled.
  virtual Result<std::optional<Login>> Find(const std::string& registry, std::stop_token stop) = 0;

  /// Returns where logins are searched, for error messages: "/home/ana/.docker/config.json".
  virtual std::string Locations() const = 0;
};

}  // namespace kinetic::oci
