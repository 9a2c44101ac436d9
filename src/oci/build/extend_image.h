#pragma once

#include "kinetic/result.h"

#include "oci/format/descriptor.h"
#include "oci/registry/remote_image.h"

#include <string>
#include <utility>
#include <vector>

namespace kinetic::oci {

/// What an image is to have beyond the one that it is made from.
struct ImageExtension {
  std::vector<Layer>
      layers;  ///< on top of its own, from the bottom up; their media types are OCI's
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<std::string> environment;  ///< "NAME=VALUE"
  std::string note;                      ///< in its history: "packages of job train"
};

/// The documents of an image. Its layers are those of the one below and its own.
struct ExtendedImage {
  Descriptor config;
  Descriptor manifest;
  std::string config_json;
  std::string manifest_json;
};

/// The documents of an image that is made from another one, of which all is kept that is not said
/// to be something else, also what kinetic does not know. Docker's become OCI's; the digests of
/// layers stay. The same arguments give the same bytes.
///
/// @errors  kDataLoss: the configuration of the base tells of other layers than its manifest.
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/config.md, manifest.md
Result<ExtendedImage> ExtendImage(const RegistryImage& base, const ImageExtension& extension);

}  // namespace kinetic::oci
