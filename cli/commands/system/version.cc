#include "commands/system/version.h"

#include "kinetic/version.h"

#include "command_line/command.h"
#include "context.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <string>

namespace kinetic::cli {

void RegisterVersion(Command& parent) {
  Command& command = parent.Add({.name = "version",
                                 .summary = "Print the version",
                                 .description = "Print the version of kinetic and of its library.",
                                 .usage = {"[OPTIONS]"},
                                 .examples = {"kinetic version --json"},
                                 .needs_settings = false});
  command.Does([](Context& context) { return Run(VersionOptions{}, context); });
}

std::string VersionLine() { return fmt::format("kinetic {}", Version()); }

Value VersionDocument() {
  return Value::Map{{"version", KINETIC_VERSION}, {"library", std::string(Version())}};
}

Result<int> Run(const VersionOptions&, Context& context) {
  context.output.Line(VersionLine());
  if (context.output.IsJson()) context.output.Document(VersionDocument());
  return kSuccess;
}

}  // namespace kinetic::cli
