#pragma once

#include "kinetic/result.h"

#include "oci/registry/reference.h"
#include "oci/registry/repository.h"

#include <string>
#include <vector>

namespace kinetic::env {

/// The way to repositories of images, with what each of them wants to see.
///
/// @threads  one thread at a time, and so are the repositories.
class ImageRegistries {
 public:
  virtual ~ImageRegistries() = default;

  /// The repository that an image is in, to read it; nobody is asked for anything yet.
  ///
  /// @returns what lives as long as this, as those of OpenToWrite do.
  virtual Result<const oci::Repository*> OpenToRead(const oci::Reference& image) = 0;

  /// The same, to store images in it as well. Some registries refuse all to whom asks for more than
  /// they may.
  ///
  /// @param mounted_from  repositories of the same registry whose blobs are taken over.
  virtual Result<const oci::Repository*> OpenToWrite(
      const oci::Reference& image, const std::vector<std::string>& mounted_from) = 0;
};

}  // namespace kinetic::env
