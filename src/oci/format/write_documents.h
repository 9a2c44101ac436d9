#pragma once

#include "kinetic/value.h"

#include "oci/format/descriptor.h"
#include "oci/format/reference.h"
#include "oci/layer/writer.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::oci {

/// When everything was made, so that the same image has the same bytes.
inline constexpr const char* kCreated = "1970-01-01T00:00:00Z";

/// How containers are started from an image, and where.
struct ImageConfig {
  std::string architecture;  ///< as Go names it: "amd64"
  std::vector<std::string> entrypoint;
  std::vector<std::string> environment;  ///< "NAME=VALUE"
  std::string working_folder = "/";
  std::vector<std::pair<std::string, std::string>> labels;
};

/// The documents of an image. The same image gives the same bytes; it was made in 1970.
///
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/config.md, manifest.md,
///          image-index.md, annotations.md
Value ConfigDocument(const ImageConfig& config, std::span<const Layer> layers);

/// @param config  of the configuration's blob.
Value ManifestDocument(const Descriptor& config, std::span<const Layer> layers);

/// The index of a layout with one image, named so that containerd calls it by its full name when it
/// is imported (io.containerd.image.name), and others by its tag.
Value IndexDocument(const Descriptor& manifest, const Reference& name,
                    const std::string& architecture);

}  // namespace kinetic::oci
