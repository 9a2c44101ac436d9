#include "connect/registry.h"

#include "base/try.h"
#include "connect/cloud_options.h"
#include "http/url.h"

#include <string>
#include <utility>

namespace kinetic::connect {
namespace {

/// No proxy leads to this machine.
bool IsHere(const oci::RegistryAddress& address) {
  const auto parts = http::ParseUrl(address.url);
  return parts && http::IsLoopback(parts->host);
}

std::vector<std::string> ScopesOf(const oci::Reference& image, const RegistryUse& use) {
  std::vector<std::string> scopes{"repository:" + image.repository +
                                  (use.only_read ? ":pull" : ":pull,push")};
  for (const std::string& name : use.also_read) scopes.push_back("repository:" + name + ":pull");
  return scopes;
}

}  // namespace

RegistryConnection::RegistryConnection(const oci::Reference& image,
                                       const oci::RegistryAddress& address,
                                       const RegistryOptions& options, const Seams& seams,
                                       const RegistryUse& use, std::shared_ptr<curl::Engine> engine,
                                       curl::Options network)
    : clock_(&seams.clock),
      curl_(std::move(engine), std::move(network)),
      witness_(seams.log, options.cloud.requests),
      observed_(curl_, witness_, seams.clock),
      logins_(options, seams),
      authorized_(observed_, seams.clock, logins_, {address, ScopesOf(image, use)}),
      repository_(authorized_, seams.clock, address, image.repository) {}

Result<std::unique_ptr<RegistryConnection>> RegistryConnection::Open(const oci::Reference& image,
                                                                     const RegistryOptions& options,
                                                                     const Seams& seams,
                                                                     const RegistryUse& use) {
  const oci::RegistryAddress address = oci::ResolveRegistry(image.registry, options.plain_http);
  KINETIC_ASSIGN_OR_RETURN(curl::Options network, NetworkOf(options.cloud, seams.fs));
  if (IsHere(address)) network.proxy.clear();
  KINETIC_ASSIGN_OR_RETURN(auto engine, curl::StartEngine());
  return std::unique_ptr<RegistryConnection>(new RegistryConnection(
      image, address, options, seams, use, std::move(engine), std::move(network)));
}

oci::Repository RegistryConnection::Other(std::string name) {
  return {authorized_, *clock_, repository_.registry(), std::move(name)};
}

}  // namespace kinetic::connect
