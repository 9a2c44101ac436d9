#include "kinetic/timeline.h"

#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "commands/job/timeline_view.h"
#include "context.h"
#include "exit_code.h"
#include "replaced_file.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

/// The width of the answer in a pipe or file.
constexpr std::size_t kPipeColumns = 100;

struct TimelineOptions {
  std::optional<std::string> id;
  std::optional<std::string> trace;
};

Status WriteTrace(const JobTimeline& timeline, Time now, const std::string& path,
                  Context& context) {
  ReplacedFile file(path);
  KINETIC_RETURN_IF_ERROR(file.Write(TraceDocument(timeline, now).ToJson() + "\n"));
  KINETIC_RETURN_IF_ERROR(file.Close());
  context.output.Note(fmt::format("wrote {}; open it in https://ui.perfetto.dev", path));
  return {};
}

void Show(const JobTimeline& timeline, Time now, Output& output) {
  const Period period = PeriodOf(timeline, now);
  output.Line({fmt::format("{} {}, {} in total", timeline.id, Name(timeline.state),
                           FormatDuration(period.ended - period.begun)),
               Role::kStrong});
  const std::size_t columns = output.Columns() == 0 ? kPipeColumns : output.Columns();
  for (const std::string& line : TimelineLines(timeline, now, columns)) output.Line(line);
}

Result<int> Run(const TimelineOptions& options, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  KINETIC_ASSIGN_OR_RETURN(const Job job, FindJob(client, options.id, context));
  KINETIC_ASSIGN_OR_RETURN(const JobTimeline timeline, job.Timeline(context.stop));
  const Time now = std::chrono::system_clock::now();
  if (context.output.IsJson()) {
    context.output.Document(TimelineDocument(timeline, now));
  } else {
    Show(timeline, now, context.output);
  }
  if (options.trace) KINETIC_RETURN_IF_ERROR(WriteTrace(timeline, now, *options.trace, context));
  return kSuccess;
}

}  // namespace

void RegisterTimeline(Command& parent) {
  Command& command = parent.Add(
      {.name = "timeline",
       .summary = "Show how long each phase of a job took",
       .description =
           "Show the phases of a job as bars: the client's work before the submission, then "
           "queueing, fetching\n"
           "the inputs, running, and collecting. On a cluster, also shows the times for "
           "the node and the\n"
           "image, as long as the cluster keeps the job's pod. Without ID, shows your "
           "newest job.",
       .usage = {"[OPTIONS] [ID]"},
       .examples = {"kinetic timeline", "kinetic timeline hello-3f --chrome-trace trace.json"}});
  auto options = std::make_shared<TimelineOptions>();
  AddJobArgument(command, options->id);
  command.Text({"--chrome-trace", "FILE",
                "Also write the timeline in Chrome's trace format, which Perfetto reads",
                CompletionKind::kFile},
               options->trace);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
