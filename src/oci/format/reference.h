#pragma once

#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::oci {

/// The name of an image: "registry/repository:tag".
///
/// @source  https://github.com/distribution/reference/blob/main/reference.go
struct Reference {
  std::string registry;    ///< "docker.io" by default
  std::string repository;  ///< "library/NAME" for official images of docker.io
  std::string tag;         ///< may be empty

  /// Returns the full name: "docker.io/library/kinetic-runner:0.1.0".
  std::string Text() const;
};

/// @errors  kInvalidArgument.
Result<Reference> ParseReference(std::string_view text);

}  // namespace kinetic::oci
