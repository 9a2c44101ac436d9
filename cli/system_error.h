#pragma once

#include <string>

namespace kinetic::cli {

/// The cause of a failed system call as the library words it: "no such file or directory".
std::string SystemCause(int error_number);

}  // namespace kinetic::cli
