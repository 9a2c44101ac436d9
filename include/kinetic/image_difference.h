#pragma once

#include "kinetic/environment.h"
#include "kinetic/export.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kinetic::inline v0 {

/// The contents of a package image, from its labels or its lock.
struct ImageContents {
  std::string name;         ///< "registry/name:tag@sha256:…"; for a lock, the job's name
  std::string python;       ///< "3.12"
  std::string accelerator;  ///< that the packages support: "cpu", "gpu", "tpu"
  std::string base;         ///< the base image: "python:3.12-slim"; empty: none
  std::string base_digest;  ///< "sha256:…" at build time; empty: unknown
  std::vector<LockedPackage> packages;  ///< by name; with hashes only for a lock
};

/// The differences between two package images.
struct ImageDifference {
  struct Change {
    enum class Kind : std::uint8_t { kAdded, kRemoved, kChanged } kind = Kind::kChanged;
    std::string name;    ///< of the package
    std::string before;  ///< version or URL; empty: absent
    std::string now;     ///< empty: absent
  };
  /// A property other than packages: "python", "accelerator", "base", "base digest".
  struct Property {
    std::string name, before, now;
  };
  std::vector<Property> properties;
  std::vector<Change> packages;  ///< by name
};

/// Compares two images. A property that is unknown for one of them is not a difference.
KINETIC_EXPORT ImageDifference CompareImages(const ImageContents& before, const ImageContents& now);

}  // namespace kinetic::inline v0
