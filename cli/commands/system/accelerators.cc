#include "kinetic/accelerator.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct AcceleratorsOptions {
  std::optional<std::string> name;
};

Result<int> Run(const AcceleratorsOptions& options, Context& context) {
  std::vector<Accelerator> chosen;
  if (options.name) {
    KINETIC_ASSIGN_OR_RETURN(Accelerator accelerator, ParseAccelerator(*options.name));
    chosen.push_back(std::move(accelerator));
  } else {
    chosen.assign(Accelerators().begin(), Accelerators().end());
  }
  Table table{.headings = {"NAME", "KIND", "CHIPS", "HOSTS", "TOPOLOGY", "MACHINE TYPE"}};
  Value::List documents;
  for (const Accelerator& accelerator : chosen) {
    table.rows.push_back({accelerator.name, std::string(Name(accelerator.kind)),
                          fmt::format("{}", accelerator.chips),
                          fmt::format("{}", accelerator.hosts), accelerator.topology,
                          accelerator.machine_type});
    documents.push_back(ToDocument(accelerator));
  }
  context.output.Show(table);
  if (context.output.IsJson()) context.output.Document(std::move(documents));
  return kSuccess;
}

}  // namespace

void RegisterAccelerators(Command& parent) {
  Command& command =
      parent.Add({.name = "accelerators",
                  .summary = "List accelerators",
                  .description = "List accelerators by their Google names, with chips, hosts, and "
                                 "topology. With NAME, shows the\n"
                                 "details of one accelerator.",
                  .usage = {"[OPTIONS] [NAME]"},
                  .examples = {"kinetic accelerators", "kinetic accelerators v5p-8 --json"},
                  .needs_settings = false});
  auto options = std::make_shared<AcceleratorsOptions>();
  command.Argument(
      {.names = "NAME", .doc = "Accelerator name", .complete = CompletionKind::kAccelerator},
      options->name);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
