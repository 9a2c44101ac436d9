#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct OutputsOptions {
  std::optional<std::string> id;
  JobSelectors selectors;
};

Result<int> Run(const OutputsOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> jobs,
                           FindJobs(client, options.id, options.selectors, context));
  Value::List documents;
  for (const Job& job : jobs) {
    KINETIC_ASSIGN_OR_RETURN(const std::string location,
                             client.OutputLocation(job.id(), context.stop));
    context.output.ExactLine(location);
    documents.emplace_back(Value::Map{{"id", job.id()}, {"location", location}});
  }
  if (context.output.IsJson()) context.output.Document(OneOrList(std::move(documents)));
  return kSuccess;
}

}  // namespace

void RegisterOutputs(Command& parent) {
  Command& command = parent.Add(
      {.name = "outputs",
       .summary = "Locate, list, download, and remove a job's outputs",
       .description = "Print the location of the files that a job wrote to KINETIC_OUTPUT_DIR.",
       .usage = {"[OPTIONS] [ID]", "ls [OPTIONS] [ID]", "get [OPTIONS] [ID [PATH...]]",
                 "rm [OPTIONS] ID [PATH...]"},
       .examples = {"ls $(kinetic outputs hello)"}});
  auto options = std::make_shared<OutputsOptions>();
  AddJobArgument(command, options->id);
  AddSelectors(command, "Print the output folders of", options->selectors);
  command.SetAction([options](Context& context) { return Run(*options, context); });
  RegisterOutputsLs(command);
  RegisterOutputsGet(command);
  RegisterOutputsRm(command);
}

}  // namespace kinetic::cli
