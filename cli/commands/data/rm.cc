#include "kinetic/datasets.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "exit_code.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct DataRmOptions {
  std::vector<std::string> names;
};

Result<int> Run(const DataRmOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  Value::List removed;
  KINETIC_ASSIGN_OR_RETURN(const auto sets, client.datasets().Remove(options.names, context.stop));
  for (const Dataset& data : sets) {
    context.output.Line(data.name);
    removed.emplace_back(data.name);
  }
  if (context.output.IsJson()) context.output.Document(Value::Map{{"removed", std::move(removed)}});
  return kSuccess;
}

}  // namespace

void RegisterDataRm(Command& parent) {
  Command& command =
      parent.Add({.name = "rm",
                  .summary = "Remove datasets",
                  .description = "Remove datasets by name. Jobs that were submitted with a dataset "
                                 "keep its content. After several\n"
                                 "days, 'kinetic gc' removes content that no job needs.",
                  .usage = {"[OPTIONS] NAME..."},
                  .examples = {"kinetic data rm mnist"}});
  auto options = std::make_shared<DataRmOptions>();
  command.Arguments({.names = "NAME",
                     .doc = "Datasets, as listed by 'kinetic data ls'",
                     .complete = CompletionKind::kDataSet},
                    options->names);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
