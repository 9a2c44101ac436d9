#pragma once

#include "output/base.h"

#include <string_view>
#include <utility>

namespace kinetic::cli {

/// Returns the mark and the style of an item in a comparison: "+" added, "-" removed, "~" modified.
inline std::pair<std::string_view, Role> ChangeMark(bool was_there, bool is_there) {
  if (!was_there) return {"+", Role::kGood};
  if (!is_there) return {"-", Role::kBad};
  return {"~", Role::kWarning};
}

}  // namespace kinetic::cli
