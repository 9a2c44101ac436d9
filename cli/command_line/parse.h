#pragma once

#include "kinetic/result.h"

#include "command_line/command.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {

/// A parsed command line. The targets of the options contain their values.
struct Parsed {
  const Command* command = nullptr;
  bool help = false;              ///< --help was given; nothing else was checked
  bool has_rest = false;          ///< the command line contains "--", or names a program
  bool rest_is_program = false;   ///< `rest` has no "--" before it
  std::vector<std::string> rest;  ///< the words after "--", or from the program on
};

/// Parses the arguments after the program name with the tree below `root`. Options of `root` are
/// accepted after every command. If the first argument of a command with `takes_command` is a .py
/// file, an interpreter, or the path of a program, the words from it on are `rest`, without "--".
///
/// @errors  kInvalidArgument: an unknown, missing or surplus word. The hint is the nearest valid
///          name, or the command with more help.
Result<Parsed> Parse(const Command& root, const std::vector<std::string>& arguments);

/// Rejects two options that are mutually exclusive.
///
/// @param one, other  whether each option was given.
/// @errors  kInvalidArgument: both were given.
Status CheckExclusive(bool one, std::string_view first, bool other, std::string_view second);

/// One completion candidate, with its description.
struct Candidate {
  std::string word;
  std::string meaning;
};

/// The possible completions at the end of a command line.
struct Completion {
  std::vector<Candidate> candidates;  ///< those that start with the last word
  CompletionKind kind =
      CompletionKind::kNothing;  ///< other possible values, which are not in the command tree
  std::string prefix;            ///< the part that is already typed
  const Command* command = nullptr;
};

/// Completes the last word, which may be empty or incomplete.
Completion CompleteWords(const Command& root, const std::vector<std::string>& words);

/// Returns a candidate with the meaning of a word of another tool, or else the candidate nearest to
/// a mistyped word (settings::Nearest), or nullopt.
std::optional<std::string> Nearest(std::string_view word,
                                   const std::vector<std::string>& candidates);

/// Returns "did you mean 'logs'?", or an empty string.
std::string DidYouMean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace kinetic::cli
