#pragma once

#include "kinetic/result.h"

#include "env/environment_builder.h"
#include "env/image/stored_image.h"
#include "env/lock.h"
#include "env/tool_options.h"
#include "oci/format/reference.h"
#include "oci/inspect/python.h"
#include "oci/registry/remote_image.h"
#include "oci/registry/repository.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Folders in the cache: the Pythons of base images, and layers until they are uploaded.
inline constexpr std::string_view kKnownBasesFolder = "known-bases";
inline constexpr std::string_view kImageScratchFolder = "images";

/// Opens image repositories with their credentials.
///
/// @threads  one thread at a time, and so are the repositories.
class ImageRegistries {
 public:
  virtual ~ImageRegistries() = default;

  /// Returns the repository of an image, for reading. Sends no request.
  ///
  /// @returns a pointer that is valid as long as this, as that of OpenToWrite.
  virtual Result<const oci::Repository*> OpenToRead(const oci::Reference& image) = 0;

  /// Returns the repository of an image, for reading and writing. Separate from OpenToRead because
  /// some registries reject clients that request more access than they have.
  ///
  /// @param mounted_from  repositories of the same registry from which blobs are mounted.
  virtual Result<const oci::Repository*> OpenToWrite(
      const oci::Reference& image, const std::vector<std::string>& mounted_from) = 0;
};

/// A reference to an image by tag or digest: "python:3.12-slim", "python@sha256:…".
struct ImageName {
  oci::Reference repository;
  std::string manifest;  ///< the tag (default "latest"), or "sha256:…"
};

/// @errors  kInvalidArgument: not an image name.
Result<ImageName> ParseImageName(std::string_view text);

/// Finds the image of a lock in its registry.
///
/// @errors  those of ReadStoredImage · kInvalidArgument: a name.
Result<std::optional<ReadyEnvironment>> FindImage(const Lock& lock, const ImageNaming& naming,
                                                  ImageRegistries& registries,
                                                  std::stop_token stop);

/// Returns the environment in the image of a lock.
ReadyEnvironment EnvironmentInImage(const Lock& lock, const ImageNaming& naming,
                                    const Digest& digest, bool built);

/// A base image and its repository.
struct RegistryBaseImage {
  const oci::Repository* repository = nullptr;
  oci::RegistryImage image;
  std::string name;  ///< as written by the user: "python:3.12-slim"
};

/// Returns the base image for a lock's platform: the digest in the lock, else the current one.
///
/// @errors  those of oci::ReadRegistryImage and TargetPlatform::For · kInvalidArgument: its name.
Result<RegistryBaseImage> FindBaseImage(const Lock& lock, const ImageNaming& naming,
                                        ImageRegistries& registries, std::stop_token stop);

/// Finds the Python on the search path of a base image by reading its layers. The result is cached
/// by the image's digest.
///
/// @param python  "3.12"
/// @errors  those of oci::FindImagePython and oci::FetchBlob.
Result<oci::ImagePython> FindBasePython(const ToolOptions& tools, const RegistryBaseImage& base,
                                        const std::string& python, std::stop_token stop);

}  // namespace kinetic::env
