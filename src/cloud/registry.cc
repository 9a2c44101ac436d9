#include "cloud/registry.h"

#include "base/try.h"
#include "cloud/network.h"
#include "http/url.h"

#include <string>
#include <utility>

namespace kinetic::cloud {
namespace {

/// No proxy leads to this machine.
bool IsHere(const oci::RegistryAddress& address) {
  const auto parts = http::ParseUrl(address.url);
  return parts && http::IsLoopback(parts->host);
}

}  // namespace

RegistryConnection::RegistryConnection(const oci::Reference& image,
                                       const oci::RegistryAddress& address,
                                       const RegistryOptions& options, const Seams& seams,
                                       std::shared_ptr<curl::Engine> engine, curl::Options network)
    : curl_(std::move(engine), std::move(network)),
      witness_(seams.log, options.cloud.requests),
      observed_(curl_, witness_, seams.clock),
      logins_(options, seams),
      authorized_(observed_, seams.clock, logins_,
                  {address, {"repository:" + image.repository + ":pull,push"}}),
      repository_(authorized_, seams.clock, address, image.repository) {}

Result<std::unique_ptr<RegistryConnection>> RegistryConnection::Open(const oci::Reference& image,
                                                                     const RegistryOptions& options,
                                                                     const Seams& seams) {
  const oci::RegistryAddress address = oci::AddressOf(image.registry, options.plain_http);
  KINETIC_ASSIGN_OR_RETURN(curl::Options network, NetworkOf(options.cloud, seams.fs));
  if (IsHere(address)) network.proxy.clear();
  KINETIC_ASSIGN_OR_RETURN(auto engine, curl::StartEngine());
  return std::unique_ptr<RegistryConnection>(new RegistryConnection(
      image, address, options, seams, std::move(engine), std::move(network)));
}

}  // namespace kinetic::cloud
