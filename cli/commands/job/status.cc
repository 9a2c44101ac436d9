#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/text.h"

#include <fmt/format.h>

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
  std::string id;
};

using Timeline = std::vector<std::pair<std::string, Time>>;

void SummaryField(std::string_view name, std::string_view value, Output& output) {
  if (!value.empty()) output.Line(fmt::format("{:<9} {}", name, OneLine(value)));
}

/// Shows each event with the time since the previous one, and for a running job the time until now.
void ShowTimeline(const Timeline& timeline, const std::optional<Time>& now, Output& output) {
  if (timeline.empty()) return;
  output.Line("");
  Table table{.headings = {"EVENT", "TIME", "AFTER"}};
  Time before = timeline.front().second;
  for (const auto& [moment, time] : timeline) {
    table.rows.push_back({moment, FormatTime(time), FormatDuration(time - before)});
    before = time;
  }
  if (now)
    table.rows.push_back({std::string("now"), FormatTime(*now), FormatDuration(*now - before)});
  output.Show(table);
}

Result<int> Run(const StatusOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Job job, client.Find(options.id, context.stop));
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
  std::optional<Outcome> outcome;
  if (IsTerminal(summary.state)) {
    KINETIC_ASSIGN_OR_RETURN(outcome, job.Collect(context.stop, OutcomeContent::kState));
  }
  Output& output = context.output;
  if (output.IsJson()) {
    Value document = outcome ? ToStateDocument(summary, *outcome) : ToDocument(summary);
    if (!outcome) document.Set("timeline", TimelineDocument(summary.timeline));
    output.Document(document);
    return kSuccess;
  }
  const Time now = std::chrono::system_clock::now();
  SummaryField("id", summary.id, output);
  SummaryField("name", summary.name, output);
  SummaryField("owner", summary.owner, output);
  SummaryField("target", summary.target, output);
  SummaryField("asks for", summary.accelerator, output);
  SummaryField("state", Name(summary.state), output);
  SummaryField("reason", summary.reason, output);
  SummaryField("created", FormatTime(summary.created), output);
  if (summary.attempt > 1) SummaryField("attempt", fmt::format("{}", summary.attempt), output);
  if (summary.started)
    SummaryField("ran", FormatDuration(summary.finished.value_or(now) - *summary.started), output);
  if (outcome) {
    SummaryField("exit code",
                 fmt::format("{} ({})", outcome->exit_code, Name(outcome->exit_source)), output);
    if (outcome->exception)
      SummaryField("exception", outcome->exception->type + ": " + outcome->exception->message,
                   output);
  }
  ShowTimeline(outcome ? outcome->timeline : summary.timeline,
               IsTerminal(summary.state) ? std::nullopt : std::optional(now), output);
  return kSuccess;
}

}  // namespace

void RegisterStatus(Command& parent) {
  Command& command = parent.Add(
      {.name = "status",
       .summary = "Show job status",
       .description =
           "Show a job's state, the cause of the state, and a timeline. ID may be a unique prefix.",
       .usage = {"[OPTIONS] ID"},
       .examples = {"kinetic status hello-3f", "kinetic status hello-3f --json"}});
  auto options = std::make_shared<StatusOptions>();
  command.Argument(
      {.names = "ID", .doc = "Job ID or unique prefix", .complete = CompletionKind::kJob},
      options->id);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
