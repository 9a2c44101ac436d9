#include "http/url.h"
#include "oci/registry/access.h"

namespace kinetic::oci {

RegistryAddress ResolveRegistry(const std::string& registry, bool plain_http) {
  if (registry == "docker.io") return {registry, "https://registry-1.docker.io"};
  const auto parts = http::ParseUrl("http://" + registry);
  const bool plain = plain_http || (parts && http::IsLoopback(parts->host));
  return {registry, (plain ? "http://" : "https://") + registry};
}

bool IsGoogleRegistry(std::string_view registry) {
  return registry.ends_with(".pkg.dev") || registry == "gcr.io" || registry.ends_with(".gcr.io");
}

}  // namespace kinetic::oci
