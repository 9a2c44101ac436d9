#pragma once

#include "kinetic/image.h"

#include "connect/registry.h"
#include "oci/build/image.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::connect {

/// The runner image of this version, for a repository of a registry.
class RunnerImage {
 public:
  /// @errors  those of PushRunnerImage.
  static Result<RunnerImage> Open(const RunnerImageRequest& request,
                                  const RegistryOptions& options);

  /// Returns "registry/repository:tag@sha256:…" if the registry has the image. Reads the image's
  /// files, but does not compress them.
  Result<std::optional<std::string>> Find(std::stop_token stop) const;
  Result<PushedImage> Push(std::stop_token stop) const;

 private:
  RunnerImage(std::shared_ptr<RegistryConnection> registry, oci::ImageSpec spec,
              oci::ImageBuildOptions build, std::filesystem::path scratch)
      : registry_(std::move(registry)),
        spec_(std::move(spec)),
        build_(std::move(build)),
        scratch_(std::move(scratch)) {}

  std::shared_ptr<RegistryConnection> registry_;
  oci::ImageSpec spec_;
  oci::ImageBuildOptions build_;
  std::filesystem::path scratch_;  ///< for the layers
};

}  // namespace kinetic::connect
