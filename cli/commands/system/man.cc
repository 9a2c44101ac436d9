#include "kinetic/version.h"

#include "command_line/man_page.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"

namespace kinetic::cli {

void RegisterMan(Command& parent) {
  Command& command = parent.Add({.name = "__man",
                                 .summary = "Print the manual page",
                                 .description = "Print the manual page.",
                                 .needs_settings = false,
                                 .hidden = true});
  command.SetAction([](Context& context) -> Result<int> {
    context.output.Bytes(ManPage(context.root, Version()));
    return kSuccess;
  });
}

}  // namespace kinetic::cli
