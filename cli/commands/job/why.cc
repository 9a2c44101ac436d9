#include "kinetic/explanation.h"
#include "kinetic/tasks.h"
#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "commands/tasks/counts.h"
#include "commands/tasks/task_option.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::cli {
namespace {

struct WhyOptions {
  std::optional<std::string> id;
  std::optional<std::string> task;
};

/// Tasks of an array that did not succeed for the same reason, and the cause of the first one.
struct ExplainedGroup {
  FailureGroup group;
  std::optional<Explanation> first;
};

/// Explains why tasks of an array did not succeed. Only the largest groups have an explanation.
Result<std::vector<ExplainedGroup>> ExplainTasks(const Job& job, const Context& context) {
  constexpr std::size_t kExplained = 8;
  const Tasks all(job);
  FailureGroups failures;
  KINETIC_RETURN_IF_ERROR(all.ListEnded(
      [&](const TaskSummary& task) -> Result<bool> {
        failures.Add(task);
        return true;
      },
      0, context.stop));
  std::vector<ExplainedGroup> groups;
  for (FailureGroup& group : failures.Take()) {
    ExplainedGroup& added = groups.emplace_back(ExplainedGroup{std::move(group), {}});
    if (groups.size() > kExplained) continue;
    KINETIC_ASSIGN_OR_RETURN(const Job task, all.At(added.group.first.front(), context.stop));
    KINETIC_ASSIGN_OR_RETURN(added.first, task.Explain(context.stop));
  }
  return groups;
}

/// Returns what to do about tasks that did not succeed.
std::string AdviceOn(const Job& job, const ExplainedGroup& group) {
  std::string advice = group.first ? group.first->advice : std::string();
  if (advice.empty())
    advice = fmt::format("see 'kinetic logs {} --task {}'", job.id(), group.group.first.front());
  return advice + fmt::format("; to run them again: kinetic rerun {} --failed", job.id());
}

Value GroupsWithCauses(const std::vector<ExplainedGroup>& groups) {
  std::vector<FailureGroup> plain;
  for (const ExplainedGroup& each : groups) plain.push_back(each.group);
  Value document = GroupsDocument(plain);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& first = groups[i].first;
    (*document.AsList())[i].Set("cause", first ? Value(std::string(Name(first->cause))) : Value());
  }
  return document;
}

/// Returns the caller's newest unfinished job, or the newest job if all have finished.
Result<Job> NewestJob(Client& client, const Context& context) {
  const ListOptions own{.owner = context.settings.Text(SettingId::kOwner)};
  KINETIC_ASSIGN_OR_RETURN(const std::vector<JobSummary> jobs, client.List(own, context.stop));
  const auto unfinished =
      std::ranges::find_if(jobs, [](const JobSummary& job) { return !IsTerminal(job.state); });
  if (unfinished == jobs.end()) return FindJob(client, std::nullopt, context);
  return client.Find(*unfinished, context.stop);
}

std::string When(const Evidence& evidence, Time now, TimeZone zone) {
  std::string text;
  if (evidence.last)
    text = fmt::format("{}, {} ago", FormatTime(*evidence.last, zone),
                       FormatDuration(std::max(now, *evidence.last) - *evidence.last));
  if (evidence.count > 1)
    text += fmt::format("{}{} times", text.empty() ? "" : ", ", evidence.count);
  return text.empty() ? text : "  [" + text + "]";
}

std::string_view Verb(JobState state) {
  switch (state) {
    case JobState::kSucceeded:
    case JobState::kFailed:
      return "has";
    case JobState::kCancelled:
    case JobState::kPreempted:
    case JobState::kLost:
      return "was";
    default:
      return "is";
  }
}

std::string Headline(const std::string& id, const Explanation& explanation) {
  std::string text = fmt::format("{} {} {}", id, Verb(explanation.state), Name(explanation.state));
  if (explanation.cause != Cause::kSucceeded && explanation.headline != Name(explanation.state))
    text += ": " + OneLine(explanation.headline);
  if (!explanation.progress.empty()) text += fmt::format(" ({})", explanation.progress);
  return text;
}

void ShowAdvice(const std::string& advice, Output& output) {
  const std::string label = "what to do:";
  constexpr std::size_t kNarrow = 40;  // columns, in which a command would not fit anyway
  const std::size_t columns = output.Columns() < kNarrow ? 0 : output.Columns();
  const auto lines = WrappedLines(label + " " + advice, 0, columns);
  output.Line(StyledLine(label, Role::kHint).Add(lines.front().substr(label.size())));
  for (std::size_t i = 1; i < lines.size(); ++i) output.Line(lines[i]);
}

void Show(const std::string& id, const Explanation& explanation,
          const std::vector<ExplainedGroup>& groups, const Context& context) {
  Output& output = context.output;
  const Time now = explanation.asked.value_or(std::chrono::system_clock::now());
  for (const std::string& line : WrappedLines(Headline(id, explanation), 0, output.Columns()))
    output.Line({line, Role::kStrong});
  for (const Evidence& evidence : explanation.evidence) {
    if (explanation.headline.starts_with(evidence.text)) continue;  // nothing new
    output.Line(
        StyledLine("  " + evidence.source).Add(When(evidence, now, context.zone), Role::kDim));
    output.Paragraph(OneLine(evidence.text), 4);
  }
  for (const NearNode& node : explanation.near_nodes) {
    std::string lacks;
    for (const std::string& each : node.lacks) lacks += (lacks.empty() ? "" : "; ") + each;
    output.Paragraph(fmt::format("node {}: {}", node.name, OneLine(lacks)), 2);
  }
  for (const ExplainedGroup& each : groups)
    output.Paragraph(fmt::format("{}: {}", TasksOfGroup(each.group), ReasonOf(each.group)), 2);
  if (!explanation.advice.empty()) ShowAdvice(explanation.advice, output);
}

Result<int> Run(const WhyOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(
      Job found, options.id ? FindJob(client, options.id, context) : NewestJob(client, context));
  KINETIC_ASSIGN_OR_RETURN(const Job job, SelectTask(std::move(found), options.task, context));
  KINETIC_ASSIGN_OR_RETURN(Explanation explanation, job.Explain(context.stop));
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
  std::vector<ExplainedGroup> groups;
  if (summary.tasks) {
    KINETIC_ASSIGN_OR_RETURN(groups, ExplainTasks(job, context));
  }
  if (!groups.empty() && IsTerminal(explanation.state)) {
    explanation.advice = AdviceOn(job, groups.front());
    explanation.evidence.clear();
  }
  if (context.output.IsJson()) {
    Value document = ToDocument(job.id(), explanation);
    if (summary.tasks) document.Set("failures", GroupsWithCauses(groups));
    context.output.Document(document);
  } else {
    Show(ShownId(job.id()), explanation, groups, context);
  }
  return kSuccess;
}

}  // namespace

void RegisterWhy(Command& parent) {
  Command& command = parent.Add(
      {.name = "why",
       .summary = "Explain why a job is waiting or has failed",
       .description =
           "Explain a job's state. Prints the cause, the server messages that are "
           "evidence for it (with time\n"
           "and count), the nodes that nearly match, and what to do. Without ID, explains "
           "your newest\n"
           "unfinished job, or your newest job if all have finished. The exit code "
           "is\n"
           "0 for every cause. With --json, scripts can read the fields 'cause' and "
           "'final'. 'final' is\n"
           "true if waiting does not help. docs/reference/causes.md lists the causes.",
       .usage = {"[OPTIONS] [ID]"},
       .examples = {"kinetic why", "kinetic why hello", "kinetic why hello --json"}});
  auto options = std::make_shared<WhyOptions>();
  command.Argument({.names = "ID",
                    .doc = "Job ID, unique prefix, name, or 'latest'",
                    .complete = CompletionKind::kJob},
                   options->id);
  AddTaskOption(command, "Explain", TaskNumber::kOne, options->task);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
