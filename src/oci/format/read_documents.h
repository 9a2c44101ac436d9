#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "oci/format/descriptor.h"

#include <cstdint>
#include <string>
#include <string_view>
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

}  // namespace kinetic::oci
