#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "oci/format/descriptor.h"
#include "oci/registry/reference.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::oci {

/// What a registry's document is about.
enum class DocumentKind : std::uint8_t { kIndex, kManifest };

/// @param where  begins every message: "the manifest of python:3.12".
/// @errors  kUnimplemented: Docker's schema 1 · kDataLoss: neither, or both.
Result<DocumentKind> KindOfDocument(const Value& document, const std::string& where);

/// A machine that an image is for.
struct Platform {
  std::string system;
  std::string architecture;
  std::string variant;  ///< may be empty

  /// "amd64", "arm/v7", "windows/amd64"; what every machine of an architecture has is not named.
  std::string Text() const;
};

/// What an index says of one of its manifests.
struct IndexEntry {
  Descriptor manifest;
  Platform platform;
};

/// The manifests of images in an index; attestations and what else it has are passed over.
///
/// @errors  kDataLoss.
Result<std::vector<IndexEntry>> ReadIndex(const Value& document, const std::string& where);

struct Manifest {
  Descriptor config;
  std::vector<Descriptor> layers;
};

/// @errors  as ReadRegistryImage has them of a manifest.
Result<Manifest> ReadManifest(const Value& document, const std::string& where);

/// What a configuration says that its image is for.
///
/// @errors  kDataLoss.
Result<Platform> PlatformOf(const Value& config, const std::string& where);

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
