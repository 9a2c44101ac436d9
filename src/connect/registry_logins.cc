#include "kinetic/try.h"

#include "connect/registry.h"
#include "oci/registry/access.h"

#include <utility>

namespace kinetic::connect {
namespace {

constexpr const char* kTokenUser = "oauth2accesstoken";

/// Removes the storage endpoint: an emulator of Cloud Storage does not affect registries.
CloudOptions WithoutEndpoint(CloudOptions options) {
  options.storage_endpoint.clear();
  return options;
}

}  // namespace

RegistryLogins::RegistryLogins(const RegistryOptions& options, const Dependencies& deps)
    : google_(WithoutEndpoint(options.cloud)),
      deps_(deps),
      docker_(deps.fs, options.docker_config,
              {.search_path = options.search_path, .environment = options.environment}) {}

Result<std::optional<oci::Login>> RegistryLogins::Find(const std::string& registry,
                                                       std::stop_token stop) {
  auto login = docker_.Find(registry, stop);
  const bool found = login && *login;
  if (found || !oci::IsGoogleRegistry(registry)) return login;
  return GoogleLogin(std::move(stop));
}

Result<std::optional<oci::Login>> RegistryLogins::GoogleLogin(std::stop_token stop) {
  if (!connection_) {
    KINETIC_ASSIGN_OR_RETURN(connection_, Connection::Open(google_, deps_, stop));
  }
  KINETIC_ASSIGN_OR_RETURN(const auth::AccessToken token, connection_->Token(std::move(stop)));
  return std::optional(oci::Login{.username = kTokenUser,
                                  .password = token.value,
                                  .identity_token = {},
                                  .origin = connection_->GetIdentity().origin,
                                  .registry_only = true});
}

}  // namespace kinetic::connect
