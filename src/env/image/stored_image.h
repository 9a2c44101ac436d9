#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "env/lock.h"
#include "oci/registry/remote_image.h"
#include "oci/registry/repository.h"

#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Labels of images: the image key, Python, accelerator category, and number of packages.
inline constexpr std::string_view kImageKeyLabel = "dev.kinetic.environment";
inline constexpr std::string_view kImagePythonLabel = "dev.kinetic.python";
inline constexpr std::string_view kImageCategoryLabel = "dev.kinetic.accelerator";
inline constexpr std::string_view kImagePackagesLabel = "dev.kinetic.packages";
/// @source  https://github.com/opencontainers/image-spec/blob/v1.1.0/annotations.md
inline constexpr std::string_view kBaseNameLabel = "org.opencontainers.image.base.name";
inline constexpr std::string_view kBaseDigestLabel = "org.opencontainers.image.base.digest";

/// The base and the names of environment images.
struct ImageNaming {
  std::string prefix;      ///< folder of the environment in the image, absolute
  std::string base;        ///< base image: "python:3.12-slim"
  std::string repository;  ///< where images are stored: "registry/path/name"; may be empty
  std::string category;    ///< accelerator category: "cpu", "gpu", "tpu"
};

/// Returns the key of a lock's image: a hash of its packages, Python, platform, the base image as
/// written, and the version of the image's layout.
Digest ImageKey(const Lock& lock, const ImageNaming& naming);

/// Returns the tag of a lock's image: "tpu-64ec09b4f5ed".
std::string ImageTag(const Lock& lock, const ImageNaming& naming);

/// Returns the image's labels by name.
///
/// @param base_digest  "sha256:…", of the base when the image was built.
std::map<std::string, std::string> ImageLabels(const Lock& lock, const ImageNaming& naming,
                                               const std::string& base_digest);

/// Returns the environment variables of the image that select its virtual environment.
///
/// @param search_path  PATH of the base image, or its default; may be empty.
std::map<std::string, std::string> ImageVariables(const ImageNaming& naming,
                                                  const std::string& search_path);

/// An image built by kinetic, as described by its labels.
struct StoredImage {
  std::string tag;
  Digest digest;    ///< of its manifest
  std::string key;  ///< 64 hex digits
  std::string base;
  std::string base_digest;  ///< "sha256:…"
  std::string python;       ///< "3.12"
  std::uint64_t packages = 0;
  std::uint64_t size_bytes = 0;  ///< of its compressed layers
};

/// Reads an image's labels. Returns nullopt if kinetic did not build it.
///
/// @errors  kDataLoss: invalid image configuration.
Result<std::optional<StoredImage>> ParseStoredImage(const oci::RegistryImage& image,
                                                    const std::string& tag);

/// Reads an image from a registry. Returns nullopt if it does not exist or kinetic did not build
/// it.
///
/// @param tag  or a digest, "sha256:…".
/// @errors  those of oci::ReadRegistryImage.
Result<std::optional<StoredImage>> ReadStoredImage(const oci::Repository& repository,
                                                   const std::string& tag, std::stop_token stop);

/// Returns the tag in "registry/name:tag@sha256:…".
std::string TagFromReference(std::string_view image);

}  // namespace kinetic::env
