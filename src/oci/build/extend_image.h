#pragma once

#include "kinetic/result.h"

#include "oci/format/reference.h"
#include "oci/registry/remote_image.h"

#include <string>
#include <utility>
#include <vector>

namespace kinetic::oci {

/// Additions to a base image.
struct ImageExtension {
  std::vector<Layer> layers;  ///< the lowest first, with OCI media types
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::string> environment;  ///< "NAME=VALUE"
  std::string comment;                   ///< in the image history: "packages of job train"
};

/// The documents of an image whose layers are those of its base, followed by new ones.
struct ExtendedImage {
  Descriptor config;
  Descriptor manifest;
  std::string config_json;
  std::string manifest_json;
};

/// Extends an image. Keeps all settings of the base, known or unknown, unless the extension
/// overrides them. Converts Docker media types to OCI's; layer digests stay. The result depends on
/// the arguments only.
///
/// @errors  kDataLoss: configuration and manifest of the base list different layers.
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/config.md, manifest.md
Result<ExtendedImage> ExtendImage(const RegistryImage& base, const ImageExtension& extension);

}  // namespace kinetic::oci
