#pragma once

#include "kinetic/environment.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinetic {

/// The result of looking up an image in a registry.
enum class ImageAnswer : std::uint8_t {
  kNotAsked,     ///< no image, or its name is unknown
  kPresent,      ///< exists
  kAbsent,       ///< does not exist
  kNotAllowed,   ///< the login is missing or insufficient
  kCouldNotAsk,  ///< no response
  kUnusable,     ///< exists, but jobs cannot run in it
};

/// An image and the result of its lookup.
struct AskedImage {
  std::string name;  ///< "registry/name:tag"; empty: none
  ImageAnswer answer = ImageAnswer::kNotAsked;
  std::string reason;  ///< of an answer that is neither yes nor no; may be empty otherwise
  std::string advice;  ///< what to do about it; may be empty
  std::string digest;  ///< "sha256:…" of the one for the nodes' kind of machine; empty: unknown
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
  std::string version;  ///< or a URL for what is installed from one
  bool stored = false;  ///< as an archive that pods unpack, and that layers are made of
  std::uint64_t files = 0;
  std::uint64_t size_bytes = 0;  ///< unpacked; known of what is stored
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

/// Which image or archives hold the packages of a job: `kinetic image explain`.
struct ImageExplanation {
  /// Inputs, lock and changes; without a manifest key when the job brings no packages.
  EnvironmentExplanation environment;
  std::string left_out;  ///< dependencies that are not installed because the job names its image
  EnvironmentForm form = EnvironmentForm::kAuto;  ///< what the profile wants
  PackagesOutlook outlook = PackagesOutlook::kNone;
  AskedImage image;       ///< that holds the packages
  AskedImage base;        ///< below them, or what the job runs in without any
  std::string made_upon;  ///< "sha256:…", which the base was when `image` was made; may be empty
  std::vector<ExplainedLayer> layers;      ///< from the bottom up, of what the job would run in
  std::vector<ExplainedPackage> packages;  ///< of the lock, by name
};

}  // namespace kinetic
