#pragma once

#include "kinetic/image.h"

#include "connect/connection.h"
#include "curl/transport.h"
#include "http/observer.h"
#include "oci/registry/authorized_transport.h"
#include "oci/registry/docker_logins.h"
#include "oci/registry/login.h"
#include "oci/registry/reference.h"
#include "oci/registry/repository.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::connect {

/// The logins of Docker; and for Google's registries, where Docker has none that works, the Google
/// credential that a bucket would be shown.
class RegistryLogins final : public oci::LoginSource {
 public:
  /// What the seams hold outlives it.
  RegistryLogins(const RegistryOptions& options, const Seams& seams);

  Result<std::optional<oci::Login>> Find(const std::string& registry,
                                         std::stop_token stop) override;
  std::string Locations() const override { return docker_.Locations(); }

 private:
  Result<std::optional<oci::Login>> OfGoogle(std::stop_token stop);

  CloudOptions google_;
  Seams seams_;
  oci::DockerLogins docker_;
  std::shared_ptr<Connection> connection_;  ///< null: not needed yet
};

/// What is to be done in a registry. Some refuse all to whom asks for more than they may.
struct RegistryUse {
  bool only_read = false;              ///< nothing is written to the image's repository
  std::vector<std::string> also_read;  ///< other repositories of the registry: "team/base"
};

/// A repository of images and the way there, by the caller's options.
///
/// @threads  one thread at a time.
class RegistryConnection {
 public:
  /// Asks nobody for anything yet. What the seams hold outlives it.
  ///
  /// @errors  kFailedPrecondition (the CA file) · those of curl::StartEngine.
  static Result<std::unique_ptr<RegistryConnection>> Open(const oci::Reference& image,
                                                          const RegistryOptions& options,
                                                          const Seams& seams,
                                                          const RegistryUse& use = {});

  const oci::Repository& repository() const { return repository_; }
  /// Another one of the same registry, which the connection outlives.
  oci::Repository Other(std::string name);

 private:
  RegistryConnection(const oci::Reference& image, const oci::RegistryAddress& address,
                     const RegistryOptions& options, const Seams& seams, const RegistryUse& use,
                     std::shared_ptr<curl::Engine> engine, curl::Options network);

  Clock* clock_;
  curl::CurlTransport curl_;
  Witness witness_;
  http::ObservedTransport observed_;
  RegistryLogins logins_;
  oci::AuthorizedTransport authorized_;
  oci::Repository repository_;
};

}  // namespace kinetic::connect
