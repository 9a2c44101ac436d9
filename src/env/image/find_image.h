#pragma once

#include "kinetic/result.h"

#include "env/environment_builder.h"
#include "env/image/base_python.h"
#include "env/image/naming.h"
#include "env/image/registries.h"
#include "env/resolve/lock.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::env {

/// An image by its tag or its digest: "python:3.12-slim", "python@sha256:…".
struct ImageName {
  oci::Reference repository;
  std::string manifest;  ///< the tag ("latest" where none is given), or "sha256:…"
};

/// @errors  kInvalidArgument: no such name, and why.
Result<ImageName> ParseImageName(std::string_view text);

/// The image of a lock, if the registry has it, whoever made it.
///
/// @errors  those of ReadStoredImage · kInvalidArgument: a name.
Result<std::optional<ReadyEnvironment>> FindImage(const Lock& lock, const ImageNaming& naming,
                                                  ImageRegistries& registries,
                                                  std::stop_token stop);

/// The environment that the image of a lock holds.
ReadyEnvironment ReadyInImage(const Lock& lock, const ImageNaming& naming, const Digest& digest,
                              bool built);

/// The image below, for the lock's machine: the one that the lock names, else as it is now.
///
/// @errors  those of oci::ReadRegistryImage and TargetPlatform::For · kInvalidArgument: its name.
Result<BaseInRegistry> FindBase(const Lock& lock, const ImageNaming& naming,
                                ImageRegistries& registries, std::stop_token stop);

}  // namespace kinetic::env
