#pragma once

#include "kinetic/environment.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::inline v0 {

/// The result of looking up an image in a registry.
enum class ImageAnswer : std::uint8_t {
  kNotChecked,   ///< no image, or its name is unknown
  kPresent,      ///< exists
  kAbsent,       ///< does not exist
  kNotAllowed,   ///< the login is missing or insufficient
  kUnreachable,  ///< no response
  kUnusable,     ///< exists, but jobs cannot run in it
};

/// An image and the result of its lookup.
struct ImageLookup {
  std::string name;  ///< "registry/name:tag"; empty: none
  ImageAnswer answer = ImageAnswer::kNotChecked;
  std::string reason;            ///< why there is no clear answer; may be empty
  std::string advice;            ///< what to do about it; may be empty
  std::string digest;            ///< "sha256:…", for the nodes' platform; empty: unknown
  std::uint64_t size_bytes = 0;  ///< of its compressed layers
};

/// A layer of an image.
struct ExplainedLayer {
  /// Whether the layer belongs to the base image or to the packages.
  enum class Part : std::uint8_t { kBase, kPackages, kNotKnown };
  std::string digest;  ///< "sha256:…", compressed
  std::uint64_t size_bytes = 0;
  Part part = Part::kNotKnown;
  std::string holds;  ///< "numpy 2.1.0", "14 small packages"; empty: unknown
};

/// A package in the store.
struct ExplainedPackage {
  std::string name;
  std::string version;  ///< or a URL
  bool stored = false;  ///< the store has its files
  std::uint64_t files = 0;
  std::uint64_t size_bytes = 0;  ///< unpacked; 0 if not stored
};

/// What Submit does with a job's packages.
enum class PackagesOutlook : std::uint8_t {
  kNone,          ///< none: the image is used unchanged
  kResolved,      ///< resolved first; what follows is unknown
  kImage,         ///< the existing image is used
  kImageMade,     ///< the image is built first
  kArchives,      ///< the pod unpacks stored archives
  kArchivesMade,  ///< missing archives are stored first; the pod unpacks them
  kRefused,       ///< rejected: the profile requires an image, and its registry denies the lookup
};

/// The image or archives with a job's packages: `kinetic image explain`.
struct ImageExplanation {
  /// Inputs, lock and changes; without a manifest key if the job has no packages.
  EnvironmentExplanation environment;
  std::string left_out;  ///< dependencies that are not installed because the job names its image
  EnvironmentForm form = EnvironmentForm::kAuto;  ///< the setting of the profile
  PackagesOutlook outlook = PackagesOutlook::kNone;
  ImageLookup image;            ///< with the packages
  ImageLookup base;             ///< the base image, or the job's image if it has no packages
  std::string base_when_built;  ///< "sha256:…" of the base when `image` was built; may be empty
  std::vector<ExplainedLayer> layers;      ///< of the image that the job would use, base first
  std::vector<ExplainedPackage> packages;  ///< of the lock, by name
};

}  // namespace kinetic::inline v0
