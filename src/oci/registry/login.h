#pragma once

#include "kinetic/result.h"

#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::oci {

/// Who somebody is to a registry.
struct Login {
  std::string username;
  std::string password;        ///< a secret
  std::string identity_token;  ///< a secret, for token services alone; instead of a password
  std::string origin;          ///< "the file /home/ana/.docker/config.json"
  /// It is shown to no other host than the registry's own, whatever the registry asks for.
  bool registry_alone = false;
};

/// Where logins are found.
///
/// @threads  one call at a time.
class LoginSource {
 public:
  virtual ~LoginSource() = default;

  /// The login for a registry ("docker.io", "localhost:5000"), asked for when the registry wants
  /// one. Nothing: there is none.
  ///
  /// @errors  kFailedPrecondition (what holds it cannot be read or run) · kUnauthenticated ·
  ///          kUnavailable · kCancelled.
  virtual Result<std::optional<Login>> Find(const std::string& registry, std::stop_token stop) = 0;

  /// Where it looks, for who finds nothing: "/home/ana/.docker/config.json".
  virtual std::string Places() const = 0;
};

}  // namespace kinetic::oci
