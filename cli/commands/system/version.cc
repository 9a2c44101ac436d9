#include "kinetic/version.h"

#include "kinetic/health.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/system/health_output.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace kinetic::cli {
namespace {

struct VersionOptions {
  bool check = false;
};

Result<int> Run(const VersionOptions& options, Context& context) {
  context.output.Line(fmt::format("kinetic {}", Version()));
  if (options.check)
    return ShowHealth(CheckPrograms(ClientOptionsOf(context, context.settings), context.stop),
                      VersionDocument(), context);
  if (context.output.IsJson()) context.output.Document(VersionDocument());
  return kSuccess;
}

}  // namespace

void RegisterVersion(Command& parent) {
  Command& command = parent.Add({.name = "version",
                                 .summary = "Print the version",
                                 .description = "Print the version of kinetic and of its library.",
                                 .usage = {"[OPTIONS]"},
                                 .examples = {"kinetic version --json", "kinetic version --check"},
                                 .needs_settings = false});
  auto options = std::make_shared<VersionOptions>();
  command.Flag({"--check", "",
                "Also check the programs that kinetic uses, and exit with 1 if a required one is "
                "missing"},
               options->check);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
