#pragma once

#include "kinetic/job_spec.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::spec {

/// Where a path argument is inside the job: turns the path of a `{"$path": …}` into the one that
/// the program sees.
using PathResolver = std::function<std::string(std::string_view path)>;

/// The words that `args` add to the command line of a `run:` job: a list word by word, a map as
/// `--name value` in its order (true: `--name`; false and null: nothing; a list: once for each
/// item). Strings are taken as they are, numbers as JSON writes them or by their tagged form.
std::vector<std::string> ArgumentWords(const Arguments& args, const PathResolver& resolve);

/// The argument vector to execute: `argv` and the words, or `/bin/sh -c` with the line and the
/// words, each quoted.
std::vector<std::string> CommandLine(const Command& command, const Arguments& args,
                                     const PathResolver& resolve);

}  // namespace kinetic::spec
