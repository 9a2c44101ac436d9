#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "oci/format/reference.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The JSON documents of an image: index, manifest and configuration. In all functions, `where`
// begins the error message: "docker.io/library/python:3.12".
namespace kinetic::oci {

enum class DocumentKind : std::uint8_t { kIndex, kManifest };

/// @errors  kUnimplemented: Docker's schema 1 · kDataLoss: neither kind, or both.
Result<DocumentKind> DetectDocumentKind(const Value& document, const std::string& where);

struct Platform {
  std::string os;
  std::string architecture;
  std::string variant;  ///< may be empty

  /// Returns "amd64", "arm/v7", "windows/amd64". Omits "linux" and the default variant.
  std::string Text() const;
};

struct IndexEntry {
  Descriptor manifest;
  Platform platform;
};

/// Returns the image manifests of an index. Skips attestations and unknown media types.
///
/// @errors  kDataLoss.
Result<std::vector<IndexEntry>> ReadIndex(const Value& document, const std::string& where);

struct Manifest {
  Descriptor config;
  std::vector<Descriptor> layers;
};

/// @errors  those of ReadRegistryImage that concern a manifest.
Result<Manifest> ReadManifest(const Value& document, const std::string& where);

/// Returns the platform in an image configuration.
///
/// @errors  kDataLoss.
Result<Platform> ReadPlatform(const Value& config, const std::string& where);

/// Creation time of all images, so that equal images have equal bytes.
inline constexpr const char* kCreationTime = "1970-01-01T00:00:00Z";

struct ImageConfig {
  std::string architecture;  ///< Go's name: "amd64"
  std::vector<std::string> entrypoint;
  std::vector<std::string> environment;  ///< "NAME=VALUE"
  std::string working_folder = "/";
  std::vector<std::pair<std::string, std::string>> labels;
};

/// The three functions return documents that depend on their arguments only.
///
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/config.md, manifest.md,
///          image-index.md, annotations.md
Value ConfigDocument(const ImageConfig& config, std::span<const Layer> layers);
Value ManifestDocument(const Descriptor& config, std::span<const Layer> layers);

/// Returns the index of a layout with one image. Its annotations make containerd import the image
/// under its full name, and other tools under its tag.
Value IndexDocument(const Descriptor& manifest, const Reference& name,
                    const std::string& architecture);

}  // namespace kinetic::oci
