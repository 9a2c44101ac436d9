#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"

#include <cstdint>
#include <optional>
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

/// A reference to content by digest.
///
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/descriptor.md
struct Descriptor {
  std::string_view media_type;  ///< a constant of `media_type`
  Digest digest;
  std::uint64_t size_bytes = 0;
};

struct Layer {
  Descriptor blob;  ///< compressed
  Digest diff_id;   ///< of the uncompressed tar archive
  std::uint64_t content_bytes = 0;
};

/// Returns "sha256:…".
inline std::string DigestString(const Digest& digest) { return "sha256:" + digest.Hex(); }

/// Parses "sha256:…"; nullopt for any other text.
std::optional<Digest> ParseDigest(std::string_view text);

/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/media-types.md
namespace media_type {

inline constexpr std::string_view kIndex = "application/vnd.oci.image.index.v1+json";
inline constexpr std::string_view kManifest = "application/vnd.oci.image.manifest.v1+json";
inline constexpr std::string_view kConfig = "application/vnd.oci.image.config.v1+json";
inline constexpr std::string_view kLayer = "application/vnd.oci.image.layer.v1.tar";
inline constexpr std::string_view kLayerGzip = "application/vnd.oci.image.layer.v1.tar+gzip";
inline constexpr std::string_view kLayerZstd = "application/vnd.oci.image.layer.v1.tar+zstd";

/// @source  https://distribution.github.io/distribution/spec/manifest-v2-2/
inline constexpr std::string_view kDockerIndex =
    "application/vnd.docker.distribution.manifest.list.v2+json";
inline constexpr std::string_view kDockerManifest =
    "application/vnd.docker.distribution.manifest.v2+json";
inline constexpr std::string_view kDockerConfig = "application/vnd.docker.container.image.v1+json";
inline constexpr std::string_view kDockerLayer = "application/vnd.docker.image.rootfs.diff.tar";
inline constexpr std::string_view kDockerLayerGzip =
    "application/vnd.docker.image.rootfs.diff.tar.gzip";
inline constexpr std::string_view kDockerLayerZstd =
    "application/vnd.docker.image.rootfs.diff.tar.zstd";

}  // namespace media_type

}  // namespace kinetic::oci
