#pragma once

#include "kinetic/result.h"

#include "oci/format/reference.h"
#include "oci/registry/repository.h"

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

/// An image for one architecture in a registry.
struct RegistryImage {
  std::string name;    ///< for messages: "docker.io/library/python:3.12-slim"
  Digest digest;       ///< of the manifest for the architecture
  Digest root_digest;  ///< of what the tag refers to: an index, or the same manifest
  std::string architecture;
  Descriptor config;
  std::string config_json;
  std::vector<Descriptor> layers;  ///< the lowest first
};

/// Reads manifest and configuration of a Linux image, in OCI's or Docker's formats, and verifies
/// their digests and sizes. Does not read layers.
///
/// @param name          a tag, or "sha256:…".
/// @param architecture  Go's name: "amd64".
/// @errors  those of Repository · kNotFound: no such image · kFailedPrecondition: it is for other
///          platforms, or not a container image · kUnimplemented: Docker's schema 1, or a layer
///          that is outside the registry or of unknown type · kDataLoss: malformed, or digest
///          mismatch.
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/image-index.md, manifest.md;
///          https://distribution.github.io/distribution/spec/manifest-v2-2/
Result<RegistryImage> ReadRegistryImage(const Repository& repository, const std::string& name,
                                        const std::string& architecture, std::stop_token stop);

/// Environment variables and labels from an image configuration.
///
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/config.md
struct ImageSettings {
  std::map<std::string, std::string, std::less<>> variables;
  std::map<std::string, std::string, std::less<>> labels;

  /// Both return an empty string for an unknown name.
  std::string Variable(std::string_view name) const;
  std::string Label(std::string_view name) const;
};

/// @errors  kDataLoss: the configuration is not a JSON object.
Result<ImageSettings> ReadImageSettings(const RegistryImage& image);

}  // namespace kinetic::oci
