#pragma once

#include "kinetic/job_spec.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::jobspec {

/// Maps the path of a `{"$path": …}` argument to the path inside the job.
using PathResolver = std::function<std::string(std::string_view path)>;

/// Returns the words that `args` add to the command line of a `run:` job. A list adds its items. A
/// map adds `--name value` for each entry in order: `--name` for true, nothing for false and null,
/// one option per item for a list. Strings are used as they are; numbers are written as in JSON or
/// in their tagged form.
std::vector<std::string> ArgumentWords(const Arguments& args, const PathResolver& resolve);

/// Returns the argument vector to execute: `argv` and the words, or `/bin/sh -c` with the line and
/// the quoted words.
std::vector<std::string> CommandLine(const Command& command, const Arguments& args,
                                     const PathResolver& resolve);

}  // namespace kinetic::jobspec
