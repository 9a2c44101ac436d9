#pragma once

#include "kinetic/result.h"

#include "command_line/command.h"

#include <string>
#include <vector>

namespace kinetic::cli {

/// A parsed command line. The targets of the options contain their values.
struct Parsed {
  const Command* command = nullptr;
  bool help = false;              ///< --help was given; nothing else was checked
  bool has_rest = false;          ///< the command line contains "--"
  std::vector<std::string> rest;  ///< the words after "--"
};

/// Parses the arguments after the program name with the tree below `root`. Options of `root` are
/// accepted after every command.
///
/// @errors  kInvalidArgument: an unknown, missing or surplus word. The hint is the nearest valid
///          name, or the command with more help.
Result<Parsed> Parse(const Command& root, const std::vector<std::string>& arguments);

}  // namespace kinetic::cli
