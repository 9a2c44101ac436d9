#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::oci {

/// The name of an image: "registry/repository:tag".
///
/// @source  https://github.com/distribution/reference/blob/main/reference.go
struct Reference {
  std::string registry;    ///< "docker.io" by default
  std::string repository;  ///< "library/NAME" for official images of docker.io
  std::string tag;         ///< may be empty

  /// Returns the full name: "docker.io/library/kinetic-runner:0.1.0".
  std::string Text() const;
};

/// @errors  kInvalidArgument.
Result<Reference> ParseReference(std::string_view text);

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

/// Returns whether two URLs have the same scheme, host and port.
bool IsSameOrigin(std::string_view url, std::string_view other);

}  // namespace kinetic::oci
