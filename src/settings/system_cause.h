#pragma once

#include <string>

namespace kinetic::settings {

/// Returns the cause of a failed system call in the library's wording: "no such file or directory".
std::string SystemCause(int error_number);

}  // namespace kinetic::settings
