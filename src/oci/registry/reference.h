#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::oci {

/// What an image is called: "registry/repository:tag".
///
/// @source  https://github.com/distribution/reference/blob/main/reference.go
struct Reference {
  std::string registry;    ///< "docker.io" where none is given
  std::string repository;  ///< "library/NAME" where it is docker.io's and has one part
  std::string tag;         ///< may be empty

  /// In full: "docker.io/library/kinetic-runner:0.1.0".
  std::string Text() const;
};

/// @errors  kInvalidArgument: no such name, and why.
Result<Reference> ParseReference(std::string_view text);

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
