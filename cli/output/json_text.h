#pragma once

#include "kinetic/value.h"

#include <cstddef>
#include <string>

namespace kinetic::cli {

/// JSON for people, without a newline at its end: what fits into `columns` stands on one line, the
/// items of a long list stand side by side.
std::string JsonText(const Value& value, std::size_t columns);

}  // namespace kinetic::cli
