#pragma once

#include "command_line/command.h"

#include <string>
#include <vector>

namespace kinetic::cli {

/// One word that a shell can offer, and what it means.
struct Candidate {
  std::string word;
  std::string meaning;
};

/// What can stand at the end of a command line.
struct Completion {
  std::vector<Candidate> candidates;   ///< those that begin with the last word
  Complete kind = Complete::kNothing;  ///< what else can stand there, which the tree does not know
  std::string prefix;                  ///< what has been typed of it
  const Command* command = nullptr;
};

/// Completes the last of the words, which may be empty and is still being typed.
Completion CompleteWords(const Command& root, const std::vector<std::string>& words);

}  // namespace kinetic::cli
