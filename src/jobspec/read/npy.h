#pragma once

#include <string>
#include <string_view>

namespace kinetic::jobspec {

/// Checks the header of an .npy file: format 1 to 3, no Python objects. The data is not read.
///
/// @returns  what is wrong, for the end of a message, or an empty string.
/// @source   https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
std::string FindNpyProblem(std::string_view file);

}  // namespace kinetic::jobspec
