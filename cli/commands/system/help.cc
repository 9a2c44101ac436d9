#include "command_line/help.h"

#include "command_line/parse.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

namespace kinetic::cli {
namespace {

struct HelpOptions {
  std::vector<std::string> command;  ///< "bundle", "ls"; empty: the program's own help
  bool all = false;
};

Result<int> Run(const HelpOptions& options, Context& context) {
  const Command* command = &context.root;
  for (const std::string& word : options.command) {
    const Command* found = command->Find(word);
    if (found == nullptr) {
      std::vector<std::string> names;
      for (const auto& child : command->children()) names.push_back(child->text().name);
      const std::string hint = DidYouMean(word, names);
      return Fail(ErrorCode::kInvalidArgument,
                  fmt::format("unknown command '{} {}'", command->Path(), word),
                  hint.empty() ? fmt::format("see '{} --help'", command->Path()) : hint);
    }
    command = found;
  }
  const std::string text = HelpText(*command, context.output.Columns(),
                                    options.all ? HelpDetail::kAll : HelpDetail::kUsual);
  context.output.Bytes(text);
  if (context.output.IsJson()) context.output.Document(HelpDocument(*command));
  return kSuccess;
}

}  // namespace

void RegisterHelp(Command& parent) {
  Command& command = parent.Add({.name = "help",
                                 .summary = "Show help for a command",
                                 .description = "Show help for a command, or list all commands.",
                                 .usage = {"[OPTIONS] [COMMAND...]"},
                                 .examples = {"kinetic help run", "kinetic help bundle ls"},
                                 .needs_settings = false});
  auto options = std::make_shared<HelpOptions>();
  command.OptionalArguments(
      {.names = "COMMAND", .doc = "Command name", .complete = CompletionKind::kCommand},
      options->command);
  command.Flag({"--all", "", "Also list all global options"}, options->all);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
