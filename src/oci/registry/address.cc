#include "oci/registry/address.h"

#include "http/url.h"

namespace kinetic::oci {
namespace {

std::string PortOf(const http::UrlParts& parts) {
  if (!parts.port.empty()) return parts.port;
  return parts.scheme == "https" ? "443" : "80";
}

}  // namespace

RegistryAddress ResolveRegistry(const std::string& registry, bool plain_http) {
  if (registry == "docker.io") return {registry, "https://registry-1.docker.io"};
  const auto parts = http::ParseUrl("http://" + registry);
  const bool plain = plain_http || (parts && http::IsLoopback(parts->host));
  return {registry, (plain ? "http://" : "https://") + registry};
}

bool IsGoogleRegistry(std::string_view registry) {
  return registry.ends_with(".pkg.dev") || registry == "gcr.io" || registry.ends_with(".gcr.io");
}

bool IsSameOrigin(std::string_view url, std::string_view other) {
  const auto one = http::ParseUrl(url);
  const auto two = http::ParseUrl(other);
  return one && two && one->scheme == two->scheme && one->host == two->host &&
         PortOf(*one) == PortOf(*two);
}

}  // namespace kinetic::oci
