#pragma once

#include "kinetic/observer.h"

#include <string_view>

namespace kinetic::cli {

/// Returns the name of a phase for people: "upload". Documents and the store have others, which do
/// not change.
std::string_view PhaseName(Phase phase);

}  // namespace kinetic::cli
