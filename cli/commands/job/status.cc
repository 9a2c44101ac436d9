#include "kinetic/tasks.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/cost_view.h"
#include "commands/job/definition_view.h"
#include "commands/job/selection.h"
#include "commands/tasks/counts.h"
#include "commands/tasks/task_option.h"
#include "commands/value/result_output.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/metrics_line.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct StatusOptions {
  std::vector<std::string> ids;
  std::optional<std::string> task;
};

using Timeline = std::vector<std::pair<std::string, Time>>;

struct JobStatus {
  JobSummary summary;
  std::optional<JobDefinition> definition;  ///< nullopt: the record is damaged or removed
  std::optional<Outcome> outcome;           ///< of a job that has ended
  std::vector<FailureGroup> failures;       ///< of the tasks of an array
};

/// Groups the tasks of an array that did not succeed.
Status ReadFailures(const Job& job, JobStatus& status, const Context& context) {
  const auto& counts = status.summary.tasks;
  if (!counts || counts->failed + counts->cancelled == 0) return {};
  FailureGroups groups;
  KINETIC_RETURN_IF_ERROR(Tasks(job).ListEnded(
      [&](const TaskSummary& task) -> Result<bool> {
        groups.Add(task);
        return true;
      },
      0, context.stop));
  status.failures = groups.Take();
  return {};
}

Result<JobStatus> ReadStatus(const Job& job, const Context& context) {
  JobStatus status;
  KINETIC_ASSIGN_OR_RETURN(status.summary, job.Summary(context.stop));
  auto definition = job.Definition(context.stop);
  if (definition) {
    status.definition = *std::move(definition);
  } else if (definition.error().code != ErrorCode::kDataLoss &&
             definition.error().code != ErrorCode::kNotFound) {
    return Failure(definition.error());
  }
  KINETIC_RETURN_IF_ERROR(ReadFailures(job, status, context));
  if (!IsTerminal(status.summary.state)) return status;
  auto outcome = job.Collect(context.stop, OutcomeContent::kState);
  if (!outcome && outcome.error().code != ErrorCode::kDataLoss) return Failure(outcome.error());
  if (!outcome) {
    context.output.Warn(outcome.error().message + "; its exit code is unknown");
    return status;
  }
  status.outcome = *std::move(outcome);
  // If the job's result cannot be read, its outcome contains the cause.
  if (status.outcome && status.summary.reason.empty())
    status.summary.reason = status.outcome->reason;
  return status;
}

Value StateDocument(const JobStatus& status) {
  if (status.outcome) return ToStateDocument(status.summary, *status.outcome);
  Value document = ToDocument(status.summary);
  // Scripts can read the same keys before and after the end of a job.
  for (const char* key : {"exit_code", "exit_source", "phase", "metrics", "exception"})
    document.Set(key, Value());
  document.Set("timeline", TimelineDocument(status.summary.timeline));
  return document;
}

Value StatusDocument(const JobStatus& status, const Costs& costs) {
  Value document = StateDocument(status);
  AddCost(status.summary, costs, document);
  if (status.summary.tasks) document.Set("failures", GroupsDocument(status.failures));
  AddDefinition(status.definition, document);
  return document;
}

/// Shows a value of one or more lines. All but the first begin below the value, so that a job cannot
/// forge other fields.
void SummaryField(std::string_view name, std::string_view value, Output& output) {
  constexpr std::size_t kValueColumn = 10;
  std::string label = fmt::format("{:<{}}", name, kValueColumn);
  while (value.ends_with('\n')) value.remove_suffix(1);
  while (!value.empty()) {
    const std::size_t end = std::min(value.find('\n'), value.size());
    std::vector<std::string> lines =
        WrappedLines(OneLine(value.substr(0, end)), kValueColumn, output.Columns());
    lines.front().replace(0, kValueColumn, label);
    for (const std::string& line : lines) output.Line(line);
    value.remove_prefix(std::min(end + 1, value.size()));
    label.assign(kValueColumn, ' ');
  }
}

/// Shows each event with the time since the previous one, and for a running job the time until now.
void ShowTimeline(const Timeline& timeline, const std::optional<Time>& now,
                  const Context& context) {
  if (timeline.empty()) return;
  context.output.Line("");
  Table table{.headings = {"EVENT", "TIME", "AFTER"}};
  Time before = timeline.front().second;
  const auto add = [&](const std::string& event, Time time) {
    table.rows.push_back({event, FormatTime(time, context.zone), FormatDuration(time - before)});
    before = time;
  };
  for (const auto& [event, time] : timeline) add(event, time);
  if (now) add("now", *now);
  context.output.Show(table);
}

/// Shows a line for each name: "loss 1.384 (min 1.2, max 3.1, 20 rows)".
void ShowMetrics(const std::vector<MetricSummary>& summary, Output& output) {
  std::string text;
  for (const MetricSummary& metric : summary)
    text += fmt::format("{} {} (min {}, max {}, {} {})\n", OneLine(metric.name),
                        MetricText(metric.last), MetricText(metric.min), MetricText(metric.max),
                        metric.count, metric.count == 1 ? "row" : "rows");
  SummaryField("metrics", text, output);
}

void ShowOutcome(const Outcome& outcome, Output& output) {
  // The exit code of an array comes from that of its tasks.
  const std::string source =
      outcome.tasks ? std::string() : fmt::format(" ({})", Name(outcome.exit_source));
  SummaryField("exit code", fmt::format("{}{}", outcome.exit_code, source), output);
  if (outcome.exception)
    SummaryField("exception", outcome.exception->type + ": " + outcome.exception->message, output);
  ShowMetrics(outcome.metrics, output);
}

/// Shows the tasks of an array: how many are in which state, and why some did not succeed.
void ShowTasks(const JobStatus& status, Output& output) {
  if (!status.summary.tasks) return;
  SummaryField("tasks", StatesText(*status.summary.tasks), output);
  std::string text;
  for (const FailureGroup& group : status.failures)
    text += fmt::format("{}: {}\n", TasksOfGroup(group), ReasonOf(group));
  SummaryField("failures", text, output);
}

void ShowStatus(const JobStatus& status, const Costs& costs, const Context& context) {
  const JobSummary& summary = status.summary;
  const Time now = costs.now;
  Output& output = context.output;
  const auto task = FindTaskReference(summary.id);
  SummaryField("id", task ? task->job : summary.id, output);
  if (task) SummaryField("task", std::to_string(task->task), output);
  SummaryField("name", summary.name, output);
  if (status.definition) {
    for (const auto& [name, text] : DefinitionFields(*status.definition, summary))
      SummaryField(name, text, output);
  }
  SummaryField("owner", summary.owner, output);
  SummaryField("target", summary.target, output);
  SummaryField("state", Name(summary.state), output);
  SummaryField("reason", ReasonFor(summary.state, summary.reason), output);
  ShowTasks(status, output);
  SummaryField("created", FormatTime(summary.created, context.zone), output);
  if (summary.attempt > 1) SummaryField("attempt", fmt::format("{}", summary.attempt), output);
  if (summary.started && IsTerminal(summary.state))
    SummaryField("ran", FormatDuration(summary.finished.value_or(now) - *summary.started), output);
  else if (summary.started)
    SummaryField("running", "for " + FormatDuration(now - *summary.started), output);
  SummaryField("cost", CostSentence(summary, costs.Of(summary)), output);
  if (status.outcome) ShowOutcome(*status.outcome, output);
  if (!context.verbose) return;
  ShowTimeline(status.outcome ? status.outcome->timeline : summary.timeline,
               IsTerminal(summary.state) ? std::nullopt : std::optional(now), context);
}

Result<int> Run(const StatusOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(std::vector<Job> found, FindJobs(client, options.ids, context));
  KINETIC_ASSIGN_OR_RETURN(const std::vector<Job> jobs,
                           SelectTasks(std::move(found), options.task, TaskNumber::kOne, context));
  Value::List documents;
  for (const Job& job : jobs) {
    KINETIC_ASSIGN_OR_RETURN(const JobStatus status, ReadStatus(job, context));
    if (context.output.IsJson()) {
      documents.push_back(StatusDocument(status, CostsNow(context)));
      continue;
    }
    if (&job != &jobs.front()) context.output.Line("");
    ShowStatus(status, CostsNow(context), context);
  }
  if (context.output.IsJson()) context.output.Document(OneOrList(std::move(documents)));
  return kSuccess;
}

}  // namespace

void RegisterStatus(Command& parent) {
  Command& command = parent.Add(
      {.name = "status",
       .summary = "Show job status",
       .description = "Show what jobs ran, their state, and the cause of the state. Without ID, "
                      "shows your newest job.\n"
                      "With -v, also shows the events of the job. 'kinetic timeline' shows its "
                      "phases.",
       .usage = {"[OPTIONS] [ID...]"},
       .examples = {"kinetic status", "kinetic status hello c5xk --json",
                    "kinetic status hello -v"}});
  auto options = std::make_shared<StatusOptions>();
  AddJobsArgument(command, options->ids);
  AddTaskOption(command, "Show the status of", TaskNumber::kOne, options->task);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
