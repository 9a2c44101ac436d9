#pragma once

#include "kinetic/result.h"

#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::oci {

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
