#pragma once

#include "kinetic/environment.h"
#include "kinetic/profile.h"
#include "kinetic/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinetic {

/// What a registry said of an image.
enum class ImageAnswer : std::uint8_t {
  kNotAsked,     ///< there is none to ask for, or its name is not known yet
  kPresent,      ///< it is there
  kAbsent,       ///< it is not there
  kNotAllowed,   ///< it may not be seen: a login is missing, or not enough
  kCouldNotAsk,  ///< nobody answered
  kUnusable,     ///< it is there, and jobs cannot run in it
};

/// An image and what its registry says of it.
struct AskedImage {
  std::string name;  ///< "registry/name:tag"; empty: there is none to ask for
  ImageAnswer answer = ImageAnswer::kNotAsked;
  std::string reason;  ///< of an answer that is neither yes nor no; may be empty otherwise
  std::string advice;  ///< what to do about it; may be empty
  std::string digest;  ///< "sha256:…" of the one for the nodes' kind of machine; empty: not known
  std::uint64_t size_bytes = 0;  ///< of its compressed layers
};

/// A layer of an image.
struct ExplainedLayer {
  /// Whose it is: the image's below, or the packages'.
  enum class Part : std::uint8_t { kBase, kPackages, kNotKnown };
  std::string digest;  ///< "sha256:…", compressed
  std::uint64_t size_bytes = 0;
  Part part = Part::kNotKnown;
  std::string holds;  ///< "numpy 2.1.0", "14 small packages"; empty: not known
};

/// A package as the store has it.
struct ExplainedPackage {
  std::string name;
  std::string version;  ///< or a URL for what is installed from one
  bool stored = false;  ///< as an archive that pods unpack, and that layers are made of
  std::uint64_t files = 0;
  std::uint64_t size_bytes = 0;  ///< unpacked; known of what is stored
};

/// What comes of a job's packages when it is sent.
enum class PackagesOutlook : std::uint8_t {
  kNone,          ///< it brings none: its image is used as it is
  kResolved,      ///< they are resolved first, and what comes then is not known yet
  kImage,         ///< it runs in the image that is there
  kImageMade,     ///< the image is made first
  kArchives,      ///< its pod unpacks what the store has
  kArchivesMade,  ///< what is missing is stored first, and its pod unpacks it
  kRefused,       ///< it is not sent: the profile wants an image, and its registry lets nobody ask
};

/// Which image, or which archives, the packages of a job are: `kinetic image explain`.
struct ImageExplanation {
  /// Inputs, lock and changes; without a manifest key when the job brings no packages.
  EnvironmentExplanation environment;
  std::string left_out;  ///< dependencies that nobody installs, for the job names its image
  EnvironmentForm form = EnvironmentForm::kAuto;  ///< what the profile wants
  PackagesOutlook outlook = PackagesOutlook::kNone;
  AskedImage image;       ///< that holds the packages
  AskedImage base;        ///< below them, or what the job runs in without any
  std::string made_upon;  ///< "sha256:…", which the base was when `image` was made; may be empty
  std::vector<ExplainedLayer> layers;      ///< from the bottom up, of what the job would run in
  std::vector<ExplainedPackage> packages;  ///< of the lock, by name
};

}  // namespace kinetic
