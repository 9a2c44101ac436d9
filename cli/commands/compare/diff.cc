#include "kinetic/job_difference.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/compare/diff_view.h"
#include "commands/job/selection.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"

#include <memory>
#include <string>

namespace kinetic::cli {
namespace {

struct DiffOptions {
  std::string before;
  std::string now;
  bool code = false;
};

Result<int> Run(const DiffOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Job before, FindJob(client, options.before, context));
  KINETIC_ASSIGN_OR_RETURN(const Job now, FindJob(client, options.now, context));
  KINETIC_ASSIGN_OR_RETURN(const JobDifference difference,
                           client.CompareJobs(before, now, {.lines = options.code}, context.stop));
  if (context.output.IsJson()) {
    context.output.Document(ToDocument(difference));
  } else {
    ShowDifference(difference, context.output);
  }
  return kSuccess;
}

}  // namespace

void RegisterDiff(Command& parent) {
  Command& command = parent.Add(
      {.name = "diff",
       .summary = "Compare two jobs",
       .description =
           "Show what differs between two jobs: files, packages, arguments, keys of the job file, "
           "the names of\n"
           "environment variables and secrets, data, and the duration of each phase. The exit code "
           "is 0 whether\n"
           "or not the jobs differ. To compare a job with your files, use 'kinetic bundle diff'. "
           "--code shows the\n"
           "changed lines of text files of up to 1 MiB.",
       .usage = {"[OPTIONS] BEFORE AFTER"},
       .examples = {"kinetic diff hello-3f hello-7c", "kinetic diff hello-3f hello-7c --code"}});
  auto options = std::make_shared<DiffOptions>();
  command.Argument({.names = "BEFORE",
                    .doc = "Job ID, unique prefix, name, or 'latest'",
                    .complete = CompletionKind::kJob},
                   options->before);
  command.Argument({.names = "AFTER",
                    .doc = "Job ID, unique prefix, name, or 'latest'",
                    .complete = CompletionKind::kJob},
                   options->now);
  command.Flag({"--code", "", "Also show the changed lines of the code, as a unified diff"},
               options->code);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
