#pragma once

#include "kinetic/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {

struct Context;

/// The kind of completion that a shell offers for a word.
enum class CompletionKind : std::uint8_t {
  kNothing,
  kFile,
  kFolder,
  kJob,
  kUnfinishedJob,
  kJobKey,
  kProfile,
  kAccelerator,
  kCommand,
  kDataSet,
  kContext,
  kSetting,
  kProfileSetting
};

/// Texts of one command for help, completion and the reference pages.
struct CommandText {
  std::string name;
  std::string summary;                ///< a few words, for the list of commands
  std::string description;            ///< about two lines
  std::vector<std::string> usage;     ///< the text after the name: "[OPTIONS] JOB"
  std::vector<std::string> examples;  ///< complete command lines
  bool takes_command = false;  ///< accepts "-- PROGRAM ARGS", "SCRIPT.py ARGS", "./PROGRAM ARGS"
  bool takes_rest = false;     ///< accepts "-- WORDS" only
  /// Options and commands of similar tools that it does not have, with the reason.
  std::vector<std::pair<std::string, std::string>> refused;
  bool needs_settings = true;  ///< false: also works with an invalid configuration file
  bool writes_config = false;  ///< the configuration file need not exist
  bool any_target = false;     ///< also works if the current profile does not exist, to repair that
  bool hidden = false;
  std::string group = {};              ///< heading in the list of commands; empty: "Commands"
  std::vector<std::string> also = {};  ///< global options that its help lists, too
};

/// Texts of one option or argument for help and completion.
struct OptionText {
  std::string names;        ///< "-d,--detach"; for an argument: "JOB"
  std::string placeholder;  ///< of the value: "FILE"; empty for flags and arguments
  std::string doc;
  CompletionKind complete = CompletionKind::kNothing;
  std::vector<std::string> choices = {};  ///< the only values allowed; empty: any
  bool is_rare = false;                   ///< listed only by 'kinetic help --all'
};

/// One option or argument, with the target that receives its value.
struct Option {
  OptionText text;
  bool takes_value = true;
  bool repeated = false;
  bool required = false;
  /// Stores the values as given, in order. A flag receives one empty value for each occurrence.
  std::function<Status(const std::vector<std::string>& values)> apply;
};

/// One command: its texts, its options and its action. The command line is a tree of commands.
/// Parsing, help, completion and the reference pages all use this tree.
class Command {
 public:
  using Action = std::function<Result<int>(Context&)>;

  explicit Command(CommandText text) : text_(std::move(text)) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Adds a subcommand. The returned reference stays valid.
  Command& Add(CommandText text);
  /// Sets the group of the subcommands that are added from now on.
  void BeginGroup(std::string heading) { group_ = std::move(heading); }

  void Flag(OptionText text, bool& target);
  void Count(OptionText text, int& target);
  void Text(OptionText text, std::optional<std::string>& target);
  void Texts(OptionText text, std::vector<std::string>& target);
  void Number(OptionText text, std::optional<std::uint64_t>& target);
  /// Adds a positional argument. It is required unless its target is optional.
  void Argument(OptionText text, std::string& target);
  void Argument(OptionText text, std::optional<std::string>& target);
  /// Adds a positional argument that takes one or more values.
  void Arguments(OptionText text, std::vector<std::string>& target);
  /// Adds a positional argument that takes zero or more values.
  void OptionalArguments(OptionText text, std::vector<std::string>& target);
  void SetAction(Action action) { action_ = std::move(action); }

  const CommandText& text() const { return text_; }
  const std::vector<Option>& options() const { return options_; }
  const std::vector<Option>& arguments() const { return arguments_; }
  const std::vector<std::unique_ptr<Command>>& children() const { return children_; }
  const Command* parent() const { return parent_; }
  const Action& action() const { return action_; }
  /// Returns the full name, "kinetic bundle ls".
  std::string Path() const;
  const Command* Find(std::string_view name) const;

 private:
  CommandText text_;
  std::vector<Option> options_;
  std::vector<Option> arguments_;
  std::vector<std::unique_ptr<Command>> children_;
  const Command* parent_ = nullptr;
  std::string group_;
  Action action_;
};

/// Returns the long name of an option, "--detach".
std::string LongName(const Option& option);
/// Returns the option that `word` names, of the command or of one of its parents, or null.
const Option* FindOption(const Command& command, std::string_view word);

}  // namespace kinetic::cli
