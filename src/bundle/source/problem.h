#pragma once

#include "kinetic/error.h"

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::bundle {

/// One reason why a folder cannot travel. Several are reported together.
struct Problem {
  enum class Kind : std::uint8_t { kUnreadable, kLinkOut, kTooLong };
  Kind kind = Kind::kUnreadable;
  std::string text;  ///< "cannot read a/b: permission denied"
};

/// One error for all problems, of which the first ten are named.
///
/// @param problems  at least one.
Error ToError(std::vector<Problem> problems, std::string_view root);

}  // namespace kinetic::bundle
