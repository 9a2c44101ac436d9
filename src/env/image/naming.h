#pragma once

#include "base/hash/digest.h"
#include "env/resolve/lock.h"

#include <map>
#include <string>

namespace kinetic::env {

/// What images of environments are made upon, and what they are called.
struct ImageNaming {
  std::string prefix;      ///< folder of the environment in the image, absolute
  std::string base;        ///< the image below: "python:3.12-slim"
  std::string repository;  ///< where the images are kept: "registry/path/name"; may be empty
  std::string category;    ///< what the packages are for: "cpu", "gpu", "tpu"
};

/// Returns the key of a lock's image: a hash of its packages, Python, platform, the base image as
/// written, and the version of the image's layout.
Digest ImageKey(const Lock& lock, const ImageNaming& naming);

/// "tpu-64ec09b4f5ed": what the image of a lock is tagged with.
std::string ImageTag(const Lock& lock, const ImageNaming& naming);

/// By name; see stored_image.h.
///
/// @param base_digest  "sha256:…", of the base when the image was built.
std::map<std::string, std::string> ImageLabels(const Lock& lock, const ImageNaming& naming,
                                               const std::string& base_digest);

/// The variables of its containers that lead to the environment.
///
/// @param search_path  the base's PATH, or what stands for it; may be empty.
std::map<std::string, std::string> ImageVariables(const ImageNaming& naming,
                                                  const std::string& search_path);

}  // namespace kinetic::env
