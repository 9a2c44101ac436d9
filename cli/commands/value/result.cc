#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "commands/job/unfinished.h"
#include "commands/value/parts.h"
#include "commands/value/result_output.h"
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

struct ResultOptions {
  std::vector<std::string> ids;
  JobSelectors selectors;
  std::optional<std::string> reference;
  std::optional<std::string> folder;
  ValueOptions answer;
};

struct FetchedResult {
  const Job* job;
  JobSummary summary;
  Outcome outcome;
};

Result<FetchedResult> ReadResult(const Job& job, const Context& context) {
  KINETIC_ASSIGN_OR_RETURN(JobSummary summary, job.Summary(context.stop));
  KINETIC_ASSIGN_OR_RETURN(std::optional<Outcome> outcome, job.Collect(context.stop));
  if (outcome) return FetchedResult{&job, std::move(summary), *std::move(outcome)};
  return Failure(NotFinished(summary));
}

Status CheckOptions(const ResultOptions& options) {
  KINETIC_RETURN_IF_ERROR(CheckValueOptions(options.answer));
  const bool several = options.ids.size() > 1 || options.selectors.IsGiven();
  KINETIC_RETURN_IF_ERROR(
      CheckExclusive(several, "several jobs", options.answer.output.has_value(), "--output"));
  KINETIC_RETURN_IF_ERROR(CheckExclusive(options.folder.has_value(), "--to",
                                         options.answer.output.has_value(), "--output"));
  KINETIC_RETURN_IF_ERROR(
      CheckExclusive(several, "several jobs", options.folder.has_value(), "--to"));
  return CheckExclusive(several, "several jobs", options.reference.has_value(), "--ref");
}

bool ReturnedNone(const FetchedResult& result) {
  return result.summary.function && result.outcome.state == JobState::kSucceeded &&
         result.outcome.value.IsNull();
}

/// Writes the results in the given order. Returns the first exit code that is not 0.
Result<int> WriteResults(const std::vector<FetchedResult>& ended, ValueOptions options,
                         Context& context) {
  options.null_for_none = ended.size() > 1;
  int code = kSuccess;
  Value::List documents;
  for (const FetchedResult& each : ended) {
    int own = each.outcome.exit_code;
    if (context.output.IsJson() && ended.size() > 1) {
      documents.push_back(ToDocument(each.summary, each.outcome));
    } else {
      KINETIC_ASSIGN_OR_RETURN(
          own, WriteResult(*each.job, each.summary, each.outcome, options, context));
      if (ReturnedNone(each) && !options.null_for_none)
        context.output.Note(fmt::format("job {} returned None", each.summary.id));
      if (!each.summary.function && each.outcome.state == JobState::kSucceeded)
        context.output.Note(fmt::format(
            "job {0} ran a command, which returns no value; to see its output: kinetic logs {0}",
            each.summary.id));
    }
    if (code == kSuccess) code = own;
  }
  if (!documents.empty()) context.output.Document(std::move(documents));
  return code;
}

/// Writes the part that --ref selects, or the arrays for --to.
Status WriteParts(const ResultOptions& options, const FetchedResult& ended, Context& context) {
  const Job& job = *ended.job;
  if (options.reference && IsDigest(*options.reference))
    return WriteReferencedContent(job, *options.reference, options.answer, context);
  if (!ended.summary.function)
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("job {} has no value: it runs a command", ended.summary.id));
  const Outcome& outcome = ended.outcome;
  const Value* part = &outcome.value;
  if (options.reference) {
    KINETIC_ASSIGN_OR_RETURN(part, FindPart(outcome.value, *options.reference));
  }
  return options.folder ? WriteArrays(job, *part, *options.folder, context)
                        : WritePart(job, *part, options.answer, context);
}

Result<int> Run(const ResultOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckOptions(options));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> jobs,
                           FindJobs(client, options.ids, options.selectors, context));
  std::vector<FetchedResult> ended;
  for (const Job& job : jobs) {
    KINETIC_ASSIGN_OR_RETURN(FetchedResult each, ReadResult(job, context));
    ended.push_back(std::move(each));
  }
  if (options.ids.empty() && !options.selectors.IsGiven())
    context.output.Note("job " + jobs.front().id());
  const FetchedResult& first = ended.front();
  // Without a value there are no parts. WriteResult explains why the job has none.
  const bool has_parts = !first.summary.function || first.outcome.state == JobState::kSucceeded ||
                         (options.reference && IsDigest(*options.reference));
  if (!has_parts || !(options.reference || options.folder))
    return WriteResults(ended, options.answer, context);
  KINETIC_RETURN_IF_ERROR(WriteParts(options, first, context));
  return kSuccess;
}

}  // namespace

void RegisterResult(Command& parent) {
  Command& command = parent.Add(
      {.name = "result",
       .summary = "Print the result of a job",
       .description =
           "Print the value that the job's function returned, as JSON, or the exception "
           "it raised. Without\n"
           "ID, prints the result of your newest job. Tuples are printed as lists, and None "
           "prints nothing, or\n"
           "null if there are several IDs; --json prints the exact value. Exits with the exit code "
           "of "
           "the first job,\n"
           "in the given order, that did not succeed.",
       .usage = {"[OPTIONS] [ID...]"},
       .examples = {"kinetic result", "kinetic result hello --output weights.npy",
                    "kinetic result hello --ref metrics.loss",
                    "kinetic result hello --to arrays"}});
  auto options = std::make_shared<ResultOptions>();
  AddJobsArgument(command, options->ids);
  AddSelectors(command, "Print the results of", options->selectors);
  AddValueOptions(command, options->answer);
  command.Text({"--ref", "REF",
                "Print one part of the value, by its path such as 'history[-1].loss', or the "
                "content with the digest of a \"$ref\""},
               options->reference);
  command.Text({"--to", "DIR",
                "Write each array of the value to an .npy file in a folder, and print the paths",
                CompletionKind::kFolder},
               options->folder);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
