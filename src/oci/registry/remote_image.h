#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "oci/format/descriptor.h"
#include "oci/registry/repository.h"

#include <functional>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::oci {

/// An image for one architecture, as a registry has it.
struct RegistryImage {
  std::string name;  ///< for messages: "docker.io/library/python:3.12-slim"
  Digest digest;     ///< of the manifest for the architecture
  Digest named;      ///< of what the tag names: an index, or the manifest itself
  std::string architecture;
  Descriptor config;
  std::string config_json;
  std::vector<Descriptor> layers;  ///< from the bottom up
};

/// Reads what is to be known of an image of Linux, its layers left aside; OCI's documents and
/// Docker's. All of it is checked against its digests and sizes.
///
/// @param name          a tag, or "sha256:…".
/// @param architecture  as Go names it: "amd64".
/// @errors  those of Repository · kNotFound: there is no such image · kFailedPrecondition: it is
///          for other machines, or it is nothing that containers are made of · kUnimplemented: it
///          has Docker's manifest of before 2016, or a layer that is not in the registry or of a
///          kind that is not known · kDataLoss: it is no image, or not what its digests say.
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/image-index.md, manifest.md;
///          https://distribution.github.io/distribution/spec/manifest-v2-2/
Result<RegistryImage> ReadRegistryImage(const Repository& repository, const std::string& name,
                                        const std::string& architecture, std::stop_token stop);

/// What the configuration of an image says of itself and of its containers.
///
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/config.md
struct ImageSettings {
  std::map<std::string, std::string, std::less<>> variables;
  std::map<std::string, std::string, std::less<>> labels;

  /// Empty when there is none of the name.
  std::string Variable(std::string_view name) const;
  std::string Label(std::string_view name) const;
};

/// @errors  kDataLoss: the configuration is no JSON object.
Result<ImageSettings> SettingsOf(const RegistryImage& image);

}  // namespace kinetic::oci
