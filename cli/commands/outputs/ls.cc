#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "commands/tasks/task_option.h"
#include "context.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace kinetic::cli {
namespace {

struct OutputsLsOptions {
  std::optional<std::string> id;
  std::optional<std::string> task;
};

void NoteNoFiles(const Job& job, const Context& context) {
  const auto summary = job.Summary(context.stop);
  const bool may_follow = summary && !IsTerminal(summary->state);
  context.output.Note(may_follow ? fmt::format("job {} is {} and has not stored outputs yet",
                                               ShownId(job.id()), Name(summary->state))
                                 : fmt::format("job {} has no outputs", ShownId(job.id())));
}

Result<int> Run(const OutputsLsOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(Job found, FindJob(client, options.id, context));
  KINETIC_ASSIGN_OR_RETURN(const Job job, SelectTask(std::move(found), options.task, context));
  KINETIC_ASSIGN_OR_RETURN(const auto files, job.Outputs(context.stop));
  std::uint64_t bytes = 0;
  Value::List documents;
  for (const OutputFile& file : files) {
    bytes += file.size_bytes;
    documents.emplace_back(Value::Map{{"path", file.path},
                                      {"size_bytes", static_cast<std::int64_t>(file.size_bytes)},
                                      {"stored", FormatTime(file.stored)}});
    context.output.Line(fmt::format("{:>10}  {}", FormatBytes(file.size_bytes), file.path));
  }
  if (context.output.IsJson()) {
    context.output.Document(std::move(documents));
    return kSuccess;
  }
  if (files.empty()) {
    NoteNoFiles(job, context);
    return kSuccess;
  }
  context.output.Note(FormatFiles(files.size(), bytes));
  return kSuccess;
}

}  // namespace

void RegisterOutputsLs(Command& parent) {
  Command& command = parent.Add(
      {.name = "ls",
       .summary = "List a job's outputs",
       .description = "List the stored files of a job's output folder. While the job runs, lists "
                      "the files stored so far.",
       .usage = {"[OPTIONS] [ID]"},
       .examples = {"kinetic outputs ls hello", "kinetic outputs ls hello --json"}});
  auto options = std::make_shared<OutputsLsOptions>();
  AddJobArgument(command, options->id);
  AddTaskOption(command, "List the outputs of", TaskNumber::kOne, options->task);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
