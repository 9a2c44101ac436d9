#pragma once

#include "kinetic/image.h"

#include "connect/connection.h"
#include "oci/registry/docker_logins.h"
#include "oci/registry/login.h"

#include <memory>
#include <optional>
#include <string>

namespace kinetic::connect {

/// The logins of Docker; and for Google's registries, where Docker has none that works, the Google
/// credential that a bucket would be shown.
class RegistryLogins final : public oci::LoginSource {
 public:
  /// What the seams hold outlives it.
  RegistryLogins(const RegistryOptions& options, const Seams& seams);

  Result<std::optional<oci::Login>> Find(const std::string& registry,
                                         std::stop_token stop) override;
  std::string Places() const override { return docker_.Places(); }

 private:
  Result<std::optional<oci::Login>> OfGoogle(std::stop_token stop);

  CloudOptions google_;
  Seams seams_;
  oci::DockerLogins docker_;
  std::shared_ptr<Connection> connection_;  ///< null: not needed yet
};

}  // namespace kinetic::connect
