#pragma once

#include "kinetic/result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {

struct Context;

/// What a shell offers for a word.
enum class Complete : std::uint8_t {
  kNothing,
  kFile,
  kFolder,
  kJob,
  kProfile,
  kAccelerator,
  kCommand,
  kDataSet,
  kContext
};

/// What help, completion and the reference say about one command.
struct CommandText {
  std::string name;
  std::string summary;                ///< a few words, for the list of commands
  std::string description;            ///< two lines or so
  std::vector<std::string> usage;     ///< what follows the name: "[OPTIONS] JOB"
  std::vector<std::string> examples;  ///< whole command lines
  bool takes_command = false;         ///< accepts "-- PROGRAM ARGS"
  bool needs_settings = true;         ///< false: works with a broken configuration file too
  bool writes_config = false;         ///< the configuration file need not exist
  bool hidden = false;
};

/// What help and completion say about one option or argument.
struct OptionText {
  std::string names;        ///< "-d,--detach"; of an argument: "JOB"
  std::string placeholder;  ///< of the value: "FILE"; empty for flags and arguments
  std::string doc;
  Complete complete = Complete::kNothing;
  std::vector<std::string> choices = {};  ///< the only values allowed; empty: any
};

/// One option or argument with the place its value goes to.
struct Option {
  OptionText text;
  bool takes_value = true;
  bool repeated = false;
  bool required = false;
  /// Stores the values as given, in order; for a flag, as many empty ones as it was given.
  std::function<Status(const std::vector<std::string>& values)> apply;
};

/// One command: its texts, its options and what it does. The whole command line is a tree of these,
/// which parsing, help, completion and the reference pages are all made from.
class Command {
 public:
  using Action = std::function<Result<int>(Context&)>;

  explicit Command(CommandText text) : text_(std::move(text)) {}
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;

  /// Adds a sub-command; the reference stays valid.
  Command& Add(CommandText text);

  void Flag(OptionText text, bool& target);
  void Count(OptionText text, int& target);
  void Text(OptionText text, std::optional<std::string>& target);
  void Texts(OptionText text, std::vector<std::string>& target);
  void Number(OptionText text, std::optional<std::uint64_t>& target);
  /// An argument without a name in front; `required` unless its target is optional.
  void Argument(OptionText text, std::string& target);
  void Argument(OptionText text, std::optional<std::string>& target);
  /// One or more.
  void Arguments(OptionText text, std::vector<std::string>& target);
  /// None or more.
  void OptionalArguments(OptionText text, std::vector<std::string>& target);
  void Does(Action action) { action_ = std::move(action); }

  const CommandText& text() const { return text_; }
  const std::vector<Option>& options() const { return options_; }
  const std::vector<Option>& arguments() const { return arguments_; }
  const std::vector<std::unique_ptr<Command>>& children() const { return children_; }
  const Command* parent() const { return parent_; }
  const Action& action() const { return action_; }
  /// "kinetic bundle ls".
  std::string Path() const;
  const Command* Find(std::string_view name) const;

 private:
  CommandText text_;
  std::vector<Option> options_;
  std::vector<Option> arguments_;
  std::vector<std::unique_ptr<Command>> children_;
  const Command* parent_ = nullptr;
  Action action_;
};

/// The long name of an option: "--detach".
std::string LongName(const Option& option);
/// Whether a word is the option's long or short name.
bool HasName(const Option& option, std::string_view word);

}  // namespace kinetic::cli
