#pragma once

#include "kinetic/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace kinetic::cli {

struct Context;

/// A command without "--" before it, and the folder that it is run in.
struct ProgramCommand {
  std::vector<std::string> words;
  std::filesystem::path directory;
};

/// Returns the command of `kinetic run PROGRAM ARGS`. The program or script may be named by an
/// absolute path. One of another project than that of the current directory runs in its own folder,
/// so that its project is uploaded.
///
/// @param may_move  false: the command runs in the current directory.
/// @errors  kNotFound: no such file.
Result<ProgramCommand> ReadProgram(const std::vector<std::string>& words, bool may_move,
                                   const Context& context);

}  // namespace kinetic::cli
