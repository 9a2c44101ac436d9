#include "commands/status.h"

#include "command_line/command.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "output/format.h"
#include "try.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>

namespace kinetic::cli {
namespace {

void Field(std::string_view name, std::string_view value, Output& output) {
  if (!value.empty()) output.Line(fmt::format("{:<9} {}", name, OneLine(value)));
}

/// Each moment of the outcome with the time since the one before.
void ShowTimeline(const Outcome& outcome, Output& output) {
  if (outcome.timeline.empty()) return;
  output.Line("");
  Table table{.headings = {"MOMENT", "TIME", "AFTER"}};
  Time before = outcome.timeline.front().second;
  for (const auto& [moment, time] : outcome.timeline) {
    table.rows.push_back({moment, FormatTime(time), FormatDuration(time - before)});
    before = time;
  }
  output.Show(table);
}

}  // namespace

void RegisterStatus(Command& parent) {
  Command& command =
      parent.Add({.name = "status",
                  .summary = "Show how a job stands",
                  .description = "Shows one job: its state and why, and when what happened to it.\n"
                                 "ID may be the beginning of an id that no other job has.",
                  .usage = {"[OPTIONS] ID"},
                  .examples = {"kinetic status hello-3f", "kinetic status hello-3f --json"}});
  auto options = std::make_shared<StatusOptions>();
  command.Argument({.names = "ID", .doc = "The job", .complete = Complete::kJob}, options->id);
  command.Does([options](Context& context) { return Run(*options, context); });
}

Result<int> Run(const StatusOptions& options, Context& context) {
  CLI_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  CLI_ASSIGN_OR_RETURN(const Job job, client.Find(options.id, context.stop));
  CLI_ASSIGN_OR_RETURN(const JobSummary summary, job.Summary(context.stop));
  CLI_ASSIGN_OR_RETURN(const std::optional<Outcome> outcome, job.Collect(context.stop));
  Output& output = context.output;
  if (output.IsJson()) {
    output.Document(outcome ? ToDocument(summary, *outcome) : ToDocument(summary));
    return kSuccess;
  }
  const Time now = std::chrono::system_clock::now();
  Field("id", summary.id, output);
  Field("name", summary.name, output);
  Field("owner", summary.owner, output);
  Field("target", summary.target, output);
  Field("state", Name(summary.state), output);
  Field("reason", summary.reason, output);
  Field("created", FormatTime(summary.created), output);
  if (summary.attempt > 1) Field("attempt", fmt::format("{}", summary.attempt), output);
  if (summary.started)
    Field("ran", FormatDuration(summary.finished.value_or(now) - *summary.started), output);
  if (outcome) {
    Field("exit code", fmt::format("{} ({})", outcome->exit_code, Name(outcome->exit_source)),
          output);
    if (outcome->exception)
      Field("exception", outcome->exception->type + ": " + outcome->exception->message, output);
    ShowTimeline(*outcome, output);
  }
  return kSuccess;
}

}  // namespace kinetic::cli
