#pragma once

#include "kinetic/image.h"

#include "base/files/temp_dir.h"
#include "connect/registry.h"
#include "oci/build/image.h"

#include <memory>
#include <stop_token>

namespace kinetic::connect {

/// The runner image, built in a temporary folder for a registry.
class PreparedRunnerImage {
 public:
  /// @errors  those of PushRunnerImage.
  static Result<PreparedRunnerImage> Build(const RunnerImageRequest& request,
                                           const RegistryOptions& options, std::stop_token stop);

  /// Returns whether the registry has the image.
  Result<bool> IsPushed(std::stop_token stop) const;
  Result<PushedImage> Push(std::stop_token stop) const;

  /// Returns "registry/repository:tag@sha256:…".
  std::string Reference() const;

 private:
  PreparedRunnerImage(std::shared_ptr<RegistryConnection> registry, TempDir scratch,
                      oci::BuiltImage image)
      : registry_(std::move(registry)), scratch_(std::move(scratch)), image_(std::move(image)) {}

  std::shared_ptr<RegistryConnection> registry_;
  TempDir scratch_;  ///< holds the layers
  oci::BuiltImage image_;
};

}  // namespace kinetic::connect
