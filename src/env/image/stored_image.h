#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "env/resolve/lock.h"
#include "oci/registry/remote_image.h"
#include "oci/registry/repository.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// What images are labelled with: the key of what they were made from, for which Python and which
/// kind of accelerator, how many packages that are, and which (PackageLabel).
inline constexpr std::string_view kImageKeyLabel = "dev.kinetic.environment";
inline constexpr std::string_view kImagePythonLabel = "dev.kinetic.python";
inline constexpr std::string_view kImageCategoryLabel = "dev.kinetic.accelerator";
inline constexpr std::string_view kImagePackagesLabel = "dev.kinetic.packages";
inline constexpr std::string_view kImageLockLabel = "dev.kinetic.lock";
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/annotations.md
inline constexpr std::string_view kBaseNameLabel = "org.opencontainers.image.base.name";
inline constexpr std::string_view kBaseDigestLabel = "org.opencontainers.image.base.digest";

/// An image that kinetic made, as it says of itself.
struct StoredImage {
  std::string tag;
  Digest digest;    ///< of its manifest
  std::string key;  ///< 64 hex digits
  std::string base;
  std::string base_digest;  ///< "sha256:…"
  std::string python;       ///< "3.12"
  std::string category;     ///< what the packages are for: "tpu"; empty: it does not say
  std::uint64_t packages = 0;
  std::uint64_t size_bytes = 0;                      ///< of its compressed layers
  std::optional<std::vector<LockedPackage>> locked;  ///< absent: it does not say
};

/// What an image says of itself; nothing: it is not kinetic's.
///
/// @errors  kDataLoss: its configuration is none.
Result<std::optional<StoredImage>> StoredImageOf(const oci::RegistryImage& image,
                                                 const std::string& tag);

/// Nothing: nothing is tagged so, or it is not kinetic's.
///
/// @param tag  or a digest, "sha256:…".
/// @errors  those of oci::ReadRegistryImage.
Result<std::optional<StoredImage>> ReadStoredImage(const oci::Repository& repository,
                                                   const std::string& tag, std::stop_token stop);

/// The tag in "registry/name:tag@sha256:…".
std::string ImageTagIn(std::string_view image);

}  // namespace kinetic::env
