#pragma once

#include "kinetic/value.h"

#include "command_line/command.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace kinetic::cli {

inline constexpr std::size_t kHelpColumns = 100;

enum class HelpDetail : std::uint8_t {
  kUsual,
  kAll,  ///< with options that few users need
};

/// Returns the `--help` text of one command. It ends with a newline. Lines have at most 100
/// columns, and fit a narrower terminal, except for examples.
///
/// @param columns  of the terminal; 0: unknown.
std::string HelpText(const Command& command, std::size_t columns = 0,
                     HelpDetail detail = HelpDetail::kUsual);
/// Returns an option as help shows it: "-d, --detach", "    --name NAME", or the name of an
/// argument.
std::string OptionNames(const Option& option);
/// Returns the description of an option with its choices.
std::string OptionDoc(const Option& option);
/// Returns the help of one command as a document for --json.
Value HelpDocument(const Command& command);

/// Returns docs/reference/cli.md: the help of every command of the tree, in order.
std::string ReferenceDocument(const Command& root);

}  // namespace kinetic::cli
