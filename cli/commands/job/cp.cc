#include "kinetic/copy.h"
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
#include <string_view>
#include <utility>

namespace kinetic::cli {
namespace {

struct CpOptions {
  std::string source;
  std::string destination;
  std::optional<std::string> task;
};

/// A path in a job.
struct JobSide {
  std::string job;
  std::string path;
};

/// Splits JOB:PATH. Returns nullopt for a local path: one without ':', or with '/' before it.
std::optional<JobSide> SplitJob(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos || word.find('/') < colon) return std::nullopt;
  return JobSide{std::string(word.substr(0, colon)), std::string(word.substr(colon + 1))};
}

Status CheckSides(const std::optional<JobSide>& from, const std::optional<JobSide>& to) {
  if (from && to) {
    return Fail(ErrorCode::kInvalidArgument, "cannot copy from one job to another",
                "copy to this machine first; a local path that contains ':' is written ./a:b");
  }
  if (!from && !to) {
    return Fail(ErrorCode::kInvalidArgument, "neither path is in a job",
                "write the path in the job as JOB:PATH, such as latest:train.log");
  }
  if (!(from ? from : to)->job.empty()) return {};
  return Fail(ErrorCode::kInvalidArgument, "missing job ID before ':'",
              "for the newest job, write latest:PATH; for a local path, ./:PATH");
}

void Report(const CopyReport& report, const std::string& id, const CpOptions& options,
            Context& context) {
  const auto number = [](std::uint64_t count) { return static_cast<std::int64_t>(count); };
  for (const std::string& entry : report.skipped) context.output.Warn("not copied: " + entry);
  if (context.output.IsJson()) {
    Value::List skipped(report.skipped.begin(), report.skipped.end());
    context.output.Document(Value::Map{{"id", id},
                                       {"source", options.source},
                                       {"destination", report.destination},
                                       {"folder", report.is_folder},
                                       {"files", number(report.files)},
                                       {"bytes", number(report.bytes)},
                                       {"replaced", number(report.replaced)},
                                       {"skipped", std::move(skipped)}});
    return;
  }
  const std::string replaced = report.replaced == 0 ? ""
                               : report.is_folder
                                   ? fmt::format("; existing files replaced: {}", report.replaced)
                                   : "; the existing file was replaced";
  context.output.Note(fmt::format("{}, copied to {}{}", FormatFiles(report.files, report.bytes),
                                  SafeLine(report.destination), replaced));
}

Result<int> Run(const CpOptions& options, Context& context) {
  const auto from = SplitJob(options.source);
  const auto to = SplitJob(options.destination);
  KINETIC_RETURN_IF_ERROR(CheckSides(from, to));
  if (from && options.destination == "-")
    return Fail(ErrorCode::kInvalidArgument, "a file cannot be copied to the standard output",
                "name a file or folder; for a file called -, write ./-");
  const JobSide& side = from ? *from : *to;
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(Job found, FindJob(client, side.job, context));
  KINETIC_ASSIGN_OR_RETURN(const Job job, SelectTask(std::move(found), options.task, context));
  auto progress = context.output.StartProgress();
  const CopyOptions copy{.job_path = side.path,
                         .local = from ? options.destination : options.source,
                         .observer = progress.get()};
  const auto report = from ? job.CopyFrom(copy, context.stop) : job.CopyTo(copy, context.stop);
  progress.reset();
  if (!report && report.error().code == ErrorCode::kCancelled)
    context.output.Note("\ninterrupted before the copy was complete");
  if (!report) return Failure(report.error());
  Report(*report, job.id(), options, context);
  return kSuccess;
}

}  // namespace

void RegisterCp(Command& parent) {
  Command& command = parent.Add(
      {.name = "cp",
       .summary = "Copy files to and from a running job",
       .description =
           "Copy a file or a folder from a running job to this machine, or the reverse. One of the "
           "paths is\n"
           "JOB:PATH. PATH is relative to the job's working directory. outputs/... and "
           "checkpoints/... refer\n"
           "to the job's output and checkpoint folders. PATH can also be an absolute path in the "
           "job. A local path\n"
           "that contains ':' is written ./a:b. Existing files are replaced. From a job that has "
           "ended, only its stored outputs "
           "can be copied. A new folder of outputs gets a .gitignore, so that it is not part of "
           "the "
           "next bundle.",
       .usage = {"[OPTIONS] JOB:PATH DESTINATION", "[OPTIONS] SOURCE JOB:PATH"},
       .examples = {"kinetic cp latest:train.log .", "kinetic cp hello:checkpoints/step-100 saved",
                    "kinetic cp stop.flag hello:"}});
  auto options = std::make_shared<CpOptions>();
  command.Argument({.names = "SOURCE",
                    .placeholder = "",
                    .doc = "Local path, or JOB:PATH",
                    .complete = CompletionKind::kFile},
                   options->source);
  command.Argument({.names = "DESTINATION",
                    .placeholder = "",
                    .doc = "JOB:PATH, or local path; if it is an existing folder, the source is "
                           "copied into it",
                    .complete = CompletionKind::kFile},
                   options->destination);
  AddTaskOption(command, "Copy to or from", TaskNumber::kOne, options->task);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
