#pragma once

#include "kinetic/result.h"

#include "command_line/command.h"

#include <string>
#include <vector>

namespace kinetic::cli {

/// A command line that was understood; the options' targets hold their values.
struct Parsed {
  const Command* command = nullptr;
  bool help = false;              ///< --help was given: nothing else was checked
  bool has_rest = false;          ///< there was a "--"
  std::vector<std::string> rest;  ///< what came after it
};

/// Parses the arguments after the program's name into the tree below `root`. Options of `root` are
/// accepted behind every command.
///
/// @errors  kInvalidArgument: what is unknown, missing or too much, with the nearest right name or
///          the command whose --help tells more as the hint.
Result<Parsed> Parse(const Command& root, const std::vector<std::string>& arguments);

}  // namespace kinetic::cli
