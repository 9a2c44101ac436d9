#pragma once

#include <string>
#include <string_view>

namespace kinetic::oci {

struct RegistryAddress {
  std::string name;  ///< as in references: "docker.io", "localhost:5000"
  std::string url;   ///< "https://registry-1.docker.io", without a trailing '/'
};

/// @param plain_http  use HTTP without TLS, which is the default for loopback addresses.
RegistryAddress ResolveRegistry(const std::string& registry, bool plain_http);

/// Returns whether a registry accepts Google access tokens: Artifact Registry or its predecessor.
///
/// @source  https://cloud.google.com/artifact-registry/docs/docker/authentication#token
bool IsGoogleRegistry(std::string_view registry);

}  // namespace kinetic::oci
