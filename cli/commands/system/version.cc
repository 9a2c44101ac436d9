#include "kinetic/version.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <string>

namespace kinetic::cli {
namespace {

Result<int> PrintVersion(Context& context) {
  context.output.Line(fmt::format("kinetic {}", Version()));
  if (context.output.IsJson()) context.output.Document(VersionDocument());
  return kSuccess;
}

}  // namespace

void RegisterVersion(Command& parent) {
  Command& command = parent.Add({.name = "version",
                                 .summary = "Print the version",
                                 .description = "Print the version of kinetic and of its library.",
                                 .usage = {"[OPTIONS]"},
                                 .examples = {"kinetic version --json"},
                                 .needs_settings = false});
  command.SetAction(PrintVersion);
}

}  // namespace kinetic::cli
