#pragma once

#include "command_line/command.h"

#include <string>
#include <vector>

namespace kinetic::cli {

/// One completion candidate, with its description.
struct Candidate {
  std::string word;
  std::string meaning;
};

/// The possible completions at the end of a command line.
struct Completion {
  std::vector<Candidate> candidates;   ///< those that start with the last word
  Complete kind = Complete::kNothing;  ///< other possible values, which are not in the command tree
  std::string prefix;                  ///< the part that is already typed
  const Command* command = nullptr;
};

/// Completes the last word, which may be empty or incomplete.
Completion CompleteWords(const Command& root, const std::vector<std::string>& words);

}  // namespace kinetic::cli
