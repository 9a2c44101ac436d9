#pragma once

#include "kinetic/explanation.h"

#include <span>
#include <string_view>

namespace kinetic::backend {

/// The general description of a cause.
struct CauseText {
  Cause cause;
  Phase phase;
  std::string_view headline;
  std::string_view advice;
  bool final;  ///< waiting does not help
};
const CauseText& TextOf(Cause cause);
/// Returns all causes, in the order of docs/reference/causes.md.
std::span<const CauseText> CauseTexts();

}  // namespace kinetic::backend
