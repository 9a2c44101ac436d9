#pragma once

#include <string>
#include <string_view>

namespace kinetic::oci {

/// Where a registry is.
struct RegistryAddress {
  std::string name;  ///< as references have it: "docker.io", "localhost:5000"
  std::string url;   ///< "https://registry-1.docker.io", without a '/' at its end
};

/// @param plain_http  without TLS, which registries on this machine are asked without anyway.
RegistryAddress AddressOf(const std::string& registry, bool plain_http);

/// Whether a Google access token is what a registry wants: Artifact Registry and what came before.
///
/// @source  https://cloud.google.com/artifact-registry/docs/docker/authentication#token
bool IsGoogleRegistry(std::string_view registry);

/// Whether `url` leads to the same server, over TLS or without it as `other` does.
bool SameServer(std::string_view url, std::string_view other);

}  // namespace kinetic::oci
