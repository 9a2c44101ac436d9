#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/change_mark.h"
#include "commands/submit/arguments.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>

namespace kinetic::cli {
namespace {

struct BundleDiffOptions {
  JobArguments job;
  std::optional<std::string> since;
};

StyledLine ShownChange(const BundleChange& change) {
  using enum BundleChange::Kind;
  const auto [mark, role] = ChangeMark(change.kind != kAdded, change.kind != kRemoved);
  return {fmt::format("{} {}", mark, change.path), role};
}

Result<int> Run(const BundleDiffOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(const JobSpec spec, LoadJob(options.job, JobInput::kOptional, context));
  if (spec.name.empty() && !options.since)
    return Fail(ErrorCode::kInvalidArgument, "there is no job file and no job to compare with",
                "pass a job file, or a job with --since ID");
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context, spec));
  KINETIC_ASSIGN_OR_RETURN(const BundleDifference difference,
                           client.DiffBundle(spec, options.since.value_or(""), context.stop));
  if (context.output.IsJson()) {
    context.output.Document(ToDocument(difference));
    return kSuccess;
  }
  for (const BundleChange& change : difference.changes) context.output.Line(ShownChange(change));
  context.output.Note(
      difference.changes.empty()
          ? fmt::format("no changes since job {}", difference.since)
          : fmt::format("{} changed since job {}", difference.changes.size(), difference.since));
  return kSuccess;
}

}  // namespace

void RegisterBundleDiff(Command& parent) {
  Command& command = parent.Add(
      {.name = "diff",
       .summary = "Compare files with those of an earlier job",
       .description =
           "Show which files were added (+), removed (-), or modified (~) since the last "
           "job with the same\n"
           "name, or since the job given with --since. Without JOB, uses job.yaml if it "
           "exists. If it does\n"
           "not exist, uses the current directory, which requires --since.",
       .usage = {"[OPTIONS] [JOB]"},
       .examples = {"kinetic bundle diff job.yaml", "kinetic bundle diff --since hello-3f"},
       .takes_command = true});
  auto options = std::make_shared<BundleDiffOptions>();
  AddJobArguments(command, options->job);
  command.Text({"--since", "ID", "Compare with the files of this job", CompletionKind::kJob},
               options->since);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
