#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "commands/job/unfinished.h"
#include "context.h"
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

Result<int> Run(const OutputsGetOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Job job, FindJob(client, options.id, context));
  FetchOptions fetch;
  fetch.folder = std::filesystem::path(options.to.value_or(job.id()));
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
  if (context.output.IsJson()) {
    const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
    context.output.Document(Value::Map{{"id", job.id()},
                                       {"folder", found ? Value(fetch.folder.native()) : Value()},
                                       {"files", number(fetched->files)},
                                       {"bytes", number(fetched->bytes)},
                                       {"files_present", number(fetched->files_present)}});
    return kSuccess;
  }
  if (!found) {
    context.output.Note(fmt::format("job {} has no outputs", job.id()));
    return kSuccess;
  }
  context.output.Note(fmt::format("{} {} downloaded, {}; {} already present", fetched->files,
                                  fetched->files == 1 ? "file" : "files",
                                  FormatBytes(fetched->bytes), fetched->files_present));
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
  command.Text({.names = "--to",
                .placeholder = "DIR",
                .doc = "Destination folder (default: a folder with the job's ID)",
                .complete = CompletionKind::kFolder},
               options->to);
  command.Flag({.names = "-f,--force", .doc = "Replace files that differ"}, options->force);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
