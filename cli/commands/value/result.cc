#include "kinetic/try.h"

#include "command_line/command.h"
#include "command_line/parse.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "commands/job/unfinished.h"
#include "commands/tasks/task_option.h"
#include "commands/tasks/task_values.h"
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
  std::optional<std::string> tasks;
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
  const auto content = summary.tasks ? OutcomeContent::kState : OutcomeContent::kAll;
  KINETIC_ASSIGN_OR_RETURN(std::optional<Outcome> outcome, job.Collect(context.stop, content));
  if (outcome) return FetchedResult{&job, std::move(summary), *std::move(outcome)};
  return Failure(NotFinished(summary));
}

Status CheckOptions(const ResultOptions& options) {
  KINETIC_RETURN_IF_ERROR(CheckValueOptions(options.answer));
  const bool several = options.ids.size() > 1 || options.selectors.IsGiven() ||
                       (options.tasks && options.tasks->find_first_of("-,") != std::string::npos);
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

/// The answer of an array is a line for each task, so options for one value do not apply.
Status CheckArrayOptions(const ResultOptions& options, const JobSummary& summary) {
  if (!summary.tasks) return {};
  for (const auto& [option, is_given] : {std::pair("--ref", options.reference.has_value()),
                                         {"--to", options.folder.has_value()},
                                         {"--output", options.answer.output.has_value()},
                                         {"--raw", options.answer.raw}}) {
    if (!is_given) continue;
    return Fail(ErrorCode::kInvalidArgument,
                fmt::format("{} is for one value, but job {} is an array", option, summary.id),
                fmt::format("select a task: kinetic result {} --task 0 {}", summary.id, option));
  }
  return {};
}

/// Writes the results in the given order. Returns the first exit code that is not 0.
Result<int> WriteResults(const std::vector<FetchedResult>& ended, ValueOptions options,
                         Context& context) {
  options.null_for_none = ended.size() > 1;
  int code = kSuccess;
  Value::List documents;
  for (const FetchedResult& each : ended) {
    int own = each.outcome.exit_code;
    if (each.summary.tasks && context.output.IsJson()) {
      KINETIC_ASSIGN_OR_RETURN(Value document,
                               TaskValuesDocument(*each.job, each.summary, each.outcome, context));
      documents.push_back(std::move(document));
    } else if (each.summary.tasks) {
      KINETIC_ASSIGN_OR_RETURN(own,
                               WriteTaskValues(*each.job, each.summary, each.outcome, context));
    } else if (context.output.IsJson() && ended.size() > 1) {
      documents.push_back(ToDocument(each.summary, each.outcome));
    } else {
      KINETIC_ASSIGN_OR_RETURN(
          own, WriteResult(*each.job, each.summary, each.outcome, options, context));
      if (ReturnedNone(each) && !options.null_for_none)
        context.output.Note(fmt::format("job {} returned None", ShownId(each.summary.id)));
      if (!each.summary.function && each.outcome.state == JobState::kSucceeded)
        context.output.Note(fmt::format(
            "job {} ran a command, which returns no value; to see its output: kinetic logs {}",
            ShownId(each.summary.id), IdWords(each.summary.id)));
    }
    if (code == kSuccess) code = own;
  }
  if (!documents.empty()) context.output.Document(OneOrList(std::move(documents)));
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
  KINETIC_ASSIGN_OR_RETURN(std::vector<Job> found,
                           FindJobs(client, options.ids, options.selectors, context));
  const std::string found_id = found.front().id();
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> jobs, SelectTasks(std::move(found), options.tasks,
                                                                    TaskNumber::kSeveral, context));
  std::vector<FetchedResult> ended;
  for (const Job& job : jobs) {
    KINETIC_ASSIGN_OR_RETURN(FetchedResult each, ReadResult(job, context));
    KINETIC_RETURN_IF_ERROR(CheckArrayOptions(options, each.summary));
    ended.push_back(std::move(each));
  }
  if (options.ids.empty() && !options.selectors.IsGiven()) context.output.Note("job " + found_id);
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
           "null if there are several IDs; --json prints the exact value. Of an array, prints one "
           "JSON line for\n"
           "each task, in their order. Exits with the exit code of the first job, in the given "
           "order, that did\n"
           "not succeed.",
       .usage = {"[OPTIONS] [ID...]"},
       .examples = {"kinetic result", "kinetic result hello --output weights.npy",
                    "kinetic result hello --ref metrics.loss",
                    "kinetic result hello --to arrays"}});
  auto options = std::make_shared<ResultOptions>();
  AddJobsArgument(command, options->ids);
  AddSelectors(command, "Print the results of", options->selectors);
  AddTaskOption(command, "Print the results of", TaskNumber::kSeveral, options->tasks);
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
