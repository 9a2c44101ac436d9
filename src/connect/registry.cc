#include "connect/registry.h"

#include "kinetic/try.h"

#include "connect/cloud_options.h"

#include <string>
#include <utility>

namespace kinetic::connect {
namespace {

std::vector<std::string> ScopesOf(const oci::Reference& image, const RegistryAccess& access) {
  std::vector<std::string> scopes{"repository:" + image.repository +
                                  (access.read_only ? ":pull" : ":pull,push")};
  for (const std::string& name : access.other_repositories)
    scopes.push_back("repository:" + name + ":pull");
  return scopes;
}

}  // namespace

RegistryConnection::RegistryConnection(const oci::Reference& image,
                                       const oci::RegistryAddress& address,
                                       const RegistryOptions& options, const Dependencies& deps,
                                       const RegistryAccess& access,
                                       std::shared_ptr<curl::Engine> engine, curl::Options network)
    : curl_(std::move(engine), std::move(network)),
      logger_(deps.log, options.cloud.requests),
      observed_(curl_, logger_, deps.clock),
      logins_(options, deps),
      authorized_(observed_, deps.clock, logins_, {address, ScopesOf(image, access)}),
      repository_(authorized_, deps.clock, address, image.repository) {}

Result<std::unique_ptr<RegistryConnection>> RegistryConnection::Open(const oci::Reference& image,
                                                                     const RegistryOptions& options,
                                                                     const Dependencies& deps,
                                                                     const RegistryAccess& access) {
  const oci::RegistryAddress address = oci::ResolveRegistry(image.registry, options.plain_http);
  KINETIC_ASSIGN_OR_RETURN(curl::Options network, ToCurlOptions(options.cloud, deps.fs));
  KINETIC_ASSIGN_OR_RETURN(auto engine, curl::StartEngine());
  return std::unique_ptr<RegistryConnection>(new RegistryConnection(
      image, address, options, deps, access, std::move(engine), std::move(network)));
}

}  // namespace kinetic::connect
