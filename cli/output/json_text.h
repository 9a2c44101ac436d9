#pragma once

#include "kinetic/value.h"

#include <cstddef>
#include <string>

namespace kinetic::cli {

/// Returns JSON formatted for reading, without a trailing newline. What fits into `columns` is on
/// one line. Items of a long list are next to each other.
std::string JsonText(const Value& value, std::size_t columns);

}  // namespace kinetic::cli
