#pragma once

#include "kinetic/image.h"

#include "connect/connection.h"
#include "curl/transport.h"
#include "http/observer.h"
#include "oci/format/reference.h"
#include "oci/registry/access.h"
#include "oci/registry/authorized_transport.h"
#include "oci/registry/docker_logins.h"
#include "oci/registry/repository.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::connect {

/// Docker's logins. For Google's registries without one, the Google credential.
class RegistryLogins final : public oci::LoginSource {
 public:
  RegistryLogins(const RegistryOptions& options, const Dependencies& deps);

  Result<std::optional<oci::Login>> Find(const std::string& registry,
                                         std::stop_token stop) override;
  std::string Locations() const override { return docker_.Locations(); }

 private:
  Result<std::optional<oci::Login>> GoogleLogin(std::stop_token stop);

  CloudOptions google_;
  Dependencies deps_;
  oci::DockerLogins docker_;
  std::shared_ptr<Connection> connection_;  ///< null: not opened yet
};

/// The permissions to request from a registry. Some registries reject requests for more than the
/// account has.
struct RegistryAccess {
  bool read_only = false;                       ///< do not request to push
  std::vector<std::string> other_repositories;  ///< also to pull: "team/base"
};

/// A connection to an image repository. Not thread-safe.
class RegistryConnection {
 public:
  /// Sends no request yet.
  ///
  /// @errors  kFailedPrecondition (the CA file) · those of curl::StartEngine.
  static Result<std::unique_ptr<RegistryConnection>> Open(const oci::Reference& image,
                                                          const RegistryOptions& options,
                                                          const Dependencies& deps,
                                                          const RegistryAccess& access = {});

  const oci::Repository& repository() const { return repository_; }

 private:
  RegistryConnection(const oci::Reference& image, const oci::RegistryAddress& address,
                     const RegistryOptions& options, const Dependencies& deps,
                     const RegistryAccess& access, std::shared_ptr<curl::Engine> engine,
                     curl::Options network);

  curl::CurlTransport curl_;
  RequestLogger logger_;
  http::ObservedTransport observed_;
  RegistryLogins logins_;
  oci::AuthorizedTransport authorized_;
  oci::Repository repository_;
};

}  // namespace kinetic::connect
