#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::oci {

/// What an image is called: "registry/repository:tag".
///
/// @source  https://github.com/distribution/reference/blob/main/reference.go
struct Reference {
  std::string registry;    ///< "docker.io" where none is given
  std::string repository;  ///< "library/NAME" where it is docker.io's and has one part
  std::string tag;         ///< may be empty

  /// In full: "docker.io/library/kinetic-runner:0.1.0".
  std::string Text() const;
};

/// @errors  kInvalidArgument: no such name, and why.
Result<Reference> ParseReference(std::string_view text);

}  // namespace kinetic::oci
