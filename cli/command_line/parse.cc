#include "command_line/parse.h"

#include "kinetic/try.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <filesystem>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>

namespace kinetic::cli {
namespace {

/// The commands named on a command line, as CLI11 objects, with the words that CLI11 parsed for each
/// option.
struct ParserTree {
  const std::vector<std::string>& words;
  std::map<const CLI::App*, const Command*> commands;
  std::deque<std::pair<const Option*, CLI::Option*>> options;
  std::map<const CLI::App*, std::vector<std::string>> arguments;
};

void Build(const Command& command, CLI::App& app, ParserTree& mirror) {
  mirror.commands[&app] = &command;
  app.set_help_flag();
  app.fallthrough();
  for (const Option& option : command.options()) {
    CLI::Option* added =
        option.takes_value ? app.add_option(option.text.names)->expected(1)->allow_extra_args(false)
                           : app.add_flag(option.text.names)->disable_flag_override();
    if (option.takes_value)
      added->type_name(option.text.placeholder)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    mirror.options.emplace_back(&option, added);
  }
  if (!command.arguments().empty()) app.add_option("arguments", mirror.arguments[&app]);
  if (!command.children().empty()) app.require_subcommand(0, 1);
  for (const auto& child : command.children()) {
    const std::string& name = child->text().name;
    if (std::find(mirror.words.begin(), mirror.words.end(), name) == mirror.words.end()) continue;
    Build(*child, *app.add_subcommand(name), mirror);
  }
}

const CLI::App* SelectedApp(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? &app : SelectedApp(*chosen.front());
}

std::string HelpHint(const Command& command) {
  return fmt::format("see '{} --help'", command.Path());
}

Failure UsageError(const Command& command, std::string message, std::string hint = {}) {
  return Fail(ErrorCode::kInvalidArgument, std::move(message),
              hint.empty() ? HelpHint(command) : std::move(hint));
}

/// Returns whether a word is an argument of a function without --arg: "epochs=3".
bool IsFunctionArgument(const Command& command, const std::string& word) {
  const std::size_t equals = word.find('=');
  return equals != std::string::npos && equals > 0 && FindOption(command, "--arg") != nullptr;
}

Failure UnexpectedArgument(const Command& command, const std::string& word) {
  if (IsFunctionArgument(command, word))
    return UsageError(command, fmt::format("{}: unexpected argument '{}'", command.Path(), word),
                      fmt::format("to pass an argument to a function: --arg {}", word));
  return UsageError(
      command, fmt::format("{}: unexpected argument '{}'", command.Path(), word),
      command.text().takes_command ? "to run a program, put it and its arguments after '--'" : "");
}

std::vector<std::string> ChildNames(const Command& command) {
  std::vector<std::string> names;
  for (const auto& child : command.children())
    if (!child->text().hidden) names.push_back(child->text().name);
  return names;
}

/// @param has_operand  there is also an argument, which may be a program.
std::string OptionHint(const Command& command, const std::string& name, bool has_operand) {
  std::vector<std::string> candidates;
  for (const Command* level = &command; level != nullptr; level = level->parent())
    for (const Option& option : level->options()) candidates.push_back(LongName(option));
  std::string hint = DidYouMean(name, candidates);
  if (hint.empty() && has_operand && command.text().takes_command)
    hint =
        "to run a program with options, put '--' before it; to pass an argument to a function: "
        "--arg NAME=VALUE";
  return hint;
}

Failure UnexpectedWord(const Command& command, const std::string& word, bool has_operand) {
  if (word.starts_with('-')) {
    for (const auto& [option, reason] : command.text().refused)
      if (word == option)
        return UsageError(command, fmt::format("{}: {}: {}", command.Path(), word, reason));
    const std::string name = word.substr(0, word.find('='));
    if (FindOption(command, name) != nullptr)
      return UsageError(command, fmt::format("{}: {} precedes the command", command.Path(), name),
                        fmt::format("put it after the command: {} {}", command.Path(), name));
    return UsageError(command, fmt::format("{}: unknown option '{}'", command.Path(), name),
                      OptionHint(command, name, has_operand));
  }
  if (!command.children().empty()) {
    for (const auto& [other, reason] : command.text().refused)
      if (word == other)
        return UsageError(command, fmt::format("unknown command '{} {}'", command.Path(), word),
                          reason);
    return UsageError(command, fmt::format("unknown command '{} {}'", command.Path(), word),
                      DidYouMean(word, ChildNames(command)));
  }
  return UnexpectedArgument(command, word);
}

Status CheckChoice(const Option& option, const std::vector<std::string>& values) {
  const auto& choices = option.text.choices;
  if (choices.empty()) return {};
  for (const std::string& value : values)
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("{}: expected one of {}; found '{}'", LongName(option),
                              fmt::join(choices, ", "), value),
                  DidYouMean(value, choices));
  return {};
}

Status StoreOptions(const ParserTree& mirror) {
  for (const auto& [option, parsed] : mirror.options) {
    if (parsed->count() == 0) continue;
    const std::vector<std::string>& values = parsed->results();
    KINETIC_RETURN_IF_ERROR(CheckChoice(*option, values));
    KINETIC_RETURN_IF_ERROR(option->apply(values));
  }
  return {};
}

/// Rejects an option word as the value of the option before it, and "--name=", whose value CLI11
/// would take from the next word. "--name=--json" passes an option word.
Status CheckMissingValues(const Command& command, const std::vector<std::string>& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool is_empty = words[i].starts_with("--") && words[i].ends_with('=');
    const std::string name = words[i].substr(0, words[i].size() - (is_empty ? 1 : 0));
    const Option* option = FindOption(command, name);
    if (option == nullptr || !option->takes_value) continue;
    const bool is_last = i + 1 == words.size();
    if (is_empty || (!is_last && FindOption(command, words[i + 1]) != nullptr)) {
      return UsageError(command, name + " requires a value");
    }
    ++i;
  }
  return {};
}

/// Returns whether the first argument of a command is a misspelt subcommand, as in "outputs lss
/// JOB", rather than a job.
bool IsMisspeltCommand(const Command& command, const std::vector<std::string>& words) {
  return !words.empty() && !DidYouMean(words.front(), ChildNames(command)).empty();
}

Status StoreArguments(const Command& command, const std::vector<std::string>& words) {
  std::size_t next = 0;
  for (const Option& argument : command.arguments()) {
    if (next == words.size()) {
      if (!argument.required) return {};
      return UsageError(command,
                        fmt::format("{}: {} is missing", command.Path(), argument.text.names));
    }
    const std::size_t end = argument.repeated ? words.size() : next + 1;
    const std::vector<std::string> values(words.begin() + static_cast<std::ptrdiff_t>(next),
                                          words.begin() + static_cast<std::ptrdiff_t>(end));
    KINETIC_RETURN_IF_ERROR(CheckChoice(argument, values));
    KINETIC_RETURN_IF_ERROR(argument.apply(values));
    next = end;
  }
  if (next == words.size()) return {};
  if (words[next].starts_with('-')) return UnexpectedArgument(command, words[next]);  // after "--"
  const bool is_command = IsMisspeltCommand(command, words);
  return UnexpectedWord(command, is_command ? words.front() : words[next], false);
}

/// Returns whether the first operand on a command line is `word` and does not name a command.
bool PrecedesCommand(const Command& root, const std::vector<std::string>& words,
                     const std::string& word) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!words[i].starts_with('-')) return words[i] == word && root.Find(word) == nullptr;
    const Option* option = FindOption(root, words[i]);
    if (option != nullptr && option->takes_value && words[i].find('=') == std::string::npos) ++i;
  }
  return false;
}

Status RunParser(CLI::App& app, const std::vector<std::string>& words, const ParserTree& mirror) {
  // CLI11 expects the words in reverse order.
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(std::move(reversed));
  } catch (const CLI::ExtrasError&) {
    const auto left = app.remaining(true);
    const CLI::App* chosen = SelectedApp(app);
    const Command& command = *mirror.commands.at(chosen);
    const Command& root = *mirror.commands.at(&app);
    if (!left.empty() && PrecedesCommand(root, words, left.front()))
      return UnexpectedWord(root, left.front(), false);
    const auto found = mirror.arguments.find(chosen);
    const auto operands =
        found == mirror.arguments.end() ? std::vector<std::string>() : found->second;
    if (IsMisspeltCommand(command, operands))
      return UnexpectedWord(command, operands.front(), false);
    return UnexpectedWord(command, left.empty() ? "" : left.front(), !operands.empty());
  } catch (const CLI::ArgumentMismatch& error) {
    const std::string what = error.what();
    const bool is_flag = what.find("disallowed") != std::string::npos;
    return UsageError(*mirror.commands.at(SelectedApp(app)),
                      is_flag ? fmt::format("--{} takes no value", what.substr(0, what.find(' ')))
                              : what.substr(0, what.find(':')) + " requires a value");
  } catch (const std::exception& error) {
    return UsageError(*mirror.commands.at(SelectedApp(app)), error.what());
  }
  return {};
}

/// Returns whether the first surplus word is in the place of a command. Help for another command
/// would be misleading.
bool IsUnknownCommand(const CLI::App& app, const ParserTree& mirror) {
  const Command& selected = *mirror.commands.at(SelectedApp(app));
  if (selected.children().empty()) return false;
  const auto left = app.remaining(true);
  return !left.empty() && !left.front().starts_with('-');
}

/// Returns whether a word begins a command: an interpreter, or the path of a program or a shell
/// script.
///
/// @param has_arguments  more words follow, so that a missing path is not that of a job file.
bool BeginsCommand(const std::string& word, bool has_arguments) {
  constexpr std::array<std::string_view, 3> kInterpreters{"python", "bash", "sh"};
  if (std::ranges::find(kInterpreters, word) != kInterpreters.end()) return true;
  const bool is_python3 =
      word.starts_with("python3") && word.find_first_not_of(".0123456789", 7) == std::string::npos;
  if (is_python3) return true;
  const bool is_path = word.find('/') != std::string::npos;
  const bool is_shell_script = word.ends_with(".sh");
  if ((!is_path && !is_shell_script) || word.ends_with(".yaml") || word.ends_with(".yml"))
    return false;
  std::error_code error;
  const auto status = std::filesystem::status(word, error);
  if (status.type() == std::filesystem::file_type::not_found)
    return has_arguments && word.find(':') == std::string::npos;
  if (error || !std::filesystem::is_regular_file(status)) return false;
  constexpr auto kExecutable = std::filesystem::perms::owner_exec;
  return is_shell_script || (status.permissions() & kExecutable) == kExecutable;
}

/// Returns the first of `words` that is a program to run: the last argument of a command that takes
/// one, if it is a .py file or begins a command.
std::size_t FindProgram(const Command& root, const std::vector<std::string>& words) {
  const Command* command = &root;
  std::size_t operands = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.starts_with('-')) {
      const Option* option = FindOption(*command, word);
      if (option != nullptr && option->takes_value && word.find('=') == std::string::npos) ++i;
    } else if (const Command* child = command->Find(word); child != nullptr) {
      command = child;
    } else if (!command->text().takes_command) {
      return words.size();
    } else if (++operands == command->arguments().size()) {
      const bool is_program = word.ends_with(".py") || BeginsCommand(word, i + 1 < words.size());
      return is_program ? i : words.size();
    }
  }
  return words.size();
}

Parsed SplitRest(const Command& root, const std::vector<std::string>& arguments,
                 std::vector<std::string>& words) {
  const auto dashes = std::find(arguments.begin(), arguments.end(), "--");
  words.assign(arguments.begin(), dashes);
  Parsed parsed;
  const std::size_t program = FindProgram(root, words);
  parsed.rest_is_program = program < words.size();
  parsed.has_rest = parsed.rest_is_program || dashes != arguments.end();
  if (parsed.rest_is_program) {
    parsed.rest.assign(arguments.begin() + static_cast<std::ptrdiff_t>(program), arguments.end());
    words.resize(program);
  } else if (parsed.has_rest) {
    parsed.rest.assign(dashes + 1, arguments.end());
  }
  return parsed;
}

}  // namespace

Result<Parsed> Parse(const Command& root, const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  Parsed parsed = SplitRest(root, arguments, words);
  CLI::App app;
  ParserTree mirror{words, {}, {}, {}};
  Build(root, app, mirror);
  bool help = false;
  app.add_flag("-h,--help", help);
  const Status status = RunParser(app, words, mirror);
  const CLI::App* chosen = SelectedApp(app);
  parsed.command = mirror.commands.at(chosen);
  parsed.help = help || std::find(words.begin(), words.end(), "--help") != words.end();
  if (parsed.help && !IsUnknownCommand(app, mirror)) return parsed;
  const Status complete = CheckMissingValues(*parsed.command, words);
  if (!complete || !status) {
    // Options parsed before the error, such as --color and --json, determine how it is shown.
    static_cast<void>(StoreOptions(mirror));
    return Failure(complete ? status.error() : complete.error());
  }
  KINETIC_RETURN_IF_ERROR(StoreOptions(mirror));
  std::vector<std::string>& operands = mirror.arguments[chosen];
  if (!parsed.command->text().takes_command && !parsed.command->text().takes_rest) {
    // Words after "--" are arguments, even those that look like options.
    operands.insert(operands.end(), parsed.rest.begin(), parsed.rest.end());
    parsed.rest.clear();
    parsed.has_rest = false;
  }
  KINETIC_RETURN_IF_ERROR(StoreArguments(*parsed.command, operands));
  return parsed;
}

Status CheckExclusive(bool one, std::string_view first, bool other, std::string_view second) {
  if (!one || !other) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} cannot be combined with {}", first, second));
}

}  // namespace kinetic::cli
