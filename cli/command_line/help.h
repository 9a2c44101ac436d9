#pragma once

#include "kinetic/value.h"

#include "command_line/command.h"

#include <string>

namespace kinetic::cli {

/// What `--help` prints for one command, ending in a newline; lines are at most 100 columns.
std::string HelpText(const Command& command);
/// The same for --json.
Value HelpDocument(const Command& command);

/// docs/reference/cli.md: the help of every command of the tree, in order.
std::string ReferenceDocument(const Command& root);

}  // namespace kinetic::cli
