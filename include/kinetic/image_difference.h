#pragma once

#include "kinetic/environment.h"
#include "kinetic/export.h"

#include <cstdint>
#include <string>
#include <vector>

namespace kinetic {

/// The contents of an image of packages, from its labels or its lock.
struct ImageContents {
  std::string name;         ///< "registry/name:tag@sha256:…"; of a lock the job's name
  std::string python;       ///< "3.12"
  std::string accelerator;  ///< what the packages are for: "cpu", "gpu", "tpu"
  std::string base;         ///< the image below: "python:3.12-slim"; empty: there is none
  std::string base_digest;  ///< "sha256:…", which that was; empty: not known
  std::vector<LockedPackage> packages;  ///< by name; hashes are known of locks alone
};

/// How one image of packages differs from another.
struct ImageDifference {
  struct Change {
    enum class Kind : std::uint8_t { kAdded, kRemoved, kChanged } kind = Kind::kChanged;
    std::string name;    ///< of the package
    std::string before;  ///< its version, or URL; empty: it was not there
    std::string now;     ///< empty: it is not there
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

}  // namespace kinetic
