#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "commands/job/unfinished.h"
#include "commands/tasks/task_option.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct OutputsGetOptions {
  std::optional<std::string> id;
  std::vector<std::string> paths;
  std::optional<std::string> to;
  JobSelectors selectors;
  std::optional<std::string> task;
  bool force = false;
};

/// Fails if a job has not finished and has none of the outputs yet.
Result<FetchReport> Fetch(const Job& job, const FetchOptions& options, const Context& context) {
  Result<FetchReport> fetched = job.FetchOutputs(options, context.stop);
  const bool none = fetched ? fetched->files + fetched->files_present == 0
                            : fetched.error().code == ErrorCode::kNotFound;
  if (!none) return fetched;
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
  if (!IsTerminal(summary.state)) return Failure(NotFinished(summary));
  // The job may have ended after the outputs were listed.
  return job.FetchOutputs(options, context.stop);
}

/// Downloads the outputs of one job.
Result<Value> Download(const Job& job, std::filesystem::path folder,
                       const OutputsGetOptions& options, Context& context) {
  FetchOptions fetch;
  fetch.folder = std::move(folder);
  fetch.paths = options.paths;
  fetch.replace = options.force;
  auto progress = context.output.StartProgress();
  fetch.observer = progress.get();
  const Result<FetchReport> fetched = Fetch(job, fetch, context);
  progress.reset();
  if (!fetched) {
    Error error = fetched.error();
    if (error.code == ErrorCode::kAlreadyExists)
      error.hint = "choose another folder with --to, or add --force to replace what differs";
    return Failure(std::move(error));
  }
  const bool found = fetched->files + fetched->files_present > 0;
  if (found) context.output.ExactLine(fetch.folder.native());
  if (!found) {
    context.output.Note(fmt::format("job {} has no outputs", ShownId(job.id())));
  } else {
    context.output.Note(fmt::format("{} {} downloaded, {}; {} already present", fetched->files,
                                    fetched->files == 1 ? "file" : "files",
                                    FormatBytes(fetched->bytes), fetched->files_present));
  }
  return Value(Value::Map{{"id", job.id()},
                          {"folder", found ? Value(fetch.folder.native()) : Value()},
                          {"files", Number(fetched->files)},
                          {"bytes", Number(fetched->bytes)},
                          {"files_present", Number(fetched->files_present)}});
}

Result<int> Run(const OutputsGetOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(std::vector<Job> selected,
                           FindJobs(client, options.id, options.selectors, context));
  KINETIC_ASSIGN_OR_RETURN(
      const std::vector<Job> jobs,
      SelectTasks(std::move(selected), options.task, TaskNumber::kOne, context));
  Value::List documents;
  for (const Job& job : jobs) {
    std::filesystem::path folder(options.to.value_or(job.id()));
    // The outputs of several jobs have the same names.
    if (options.to && options.selectors.IsGiven()) folder /= job.id();
    KINETIC_ASSIGN_OR_RETURN(Value document, Download(job, std::move(folder), options, context));
    documents.push_back(std::move(document));
  }
  if (context.output.IsJson()) context.output.Document(OneOrList(std::move(documents)));
  return kSuccess;
}

}  // namespace

void RegisterOutputsGet(Command& parent) {
  Command& command = parent.Add(
      {.name = "get",
       .summary = "Download a job's outputs",
       .description = "Download all of a job's output files, or only the named files "
                      "and folders. Equal files are\n"
                      "skipped, and partial downloads are resumed. A file that differs is an error "
                      "without --force.\n"
                      "A new folder gets a .gitignore, so that it is not part of the next bundle.",
       .usage = {"[OPTIONS] [ID [PATH...]]"},
       .examples = {"kinetic outputs get --to results",
                    "kinetic outputs get hello model/weights.npy"}});
  auto options = std::make_shared<OutputsGetOptions>();
  AddJobArgument(command, options->id);
  command.OptionalArguments({.names = "PATH", .doc = "File or folder, as listed by 'outputs ls'"},
                            options->paths);
  AddSelectors(command, "Download the outputs of", options->selectors);
  AddTaskOption(command, "Download the outputs of", TaskNumber::kOne, options->task);
  command.Text(
      {.names = "--to",
       .placeholder = "DIR",
       .doc = "Destination folder (default: a folder with the job's ID); with --name or --tag, "
              "each job gets a folder below it",
       .complete = CompletionKind::kFolder},
      options->to);
  command.Flag({.names = "-f,--force", .doc = "Replace files that differ"}, options->force);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
