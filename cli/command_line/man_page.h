#pragma once

#include "command_line/command.h"

#include <string>
#include <string_view>

namespace kinetic::cli {

/// Returns the manual page kinetic(1): the same texts as `--help`, for every command of the tree.
std::string ManPage(const Command& root, std::string_view version);

}  // namespace kinetic::cli
