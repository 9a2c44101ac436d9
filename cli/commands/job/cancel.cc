#include "kinetic/try.h"

#include "command_line/command.h"
#include "commands/all.h"
#include "commands/job/selection.h"
#include "commands/tasks/task_option.h"
#include "context.h"
#include "documents.h"
#include "exit_code.h"
#include "signals.h"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace kinetic::cli {
namespace {

struct CancelOptions {
  std::vector<std::string> ids;
  JobFilter filter;
  std::optional<std::string> tasks;
};

struct Cancellation {
  JobSummary summary;
  bool had_ended = false;  ///< before this command
};

/// Notes that a job with another end than "cancelled" had done its work before.
void NoteEarlierEnd(const JobSummary& summary, Context& context) {
  if (summary.state == JobState::kCancelled) return;
  context.output.Note(
      fmt::format("job {} had {} before it could be cancelled", ShownId(summary.id),
                  summary.state == JobState::kLost ? "been lost" : Name(summary.state)));
}

/// Notes what a cancellation waits for, unless it ends soon.
class WaitNote {
 public:
  WaitNote(const std::string& id, Context& context)
      : thread_([&id, &context](const std::stop_token& stop) {
          constexpr std::chrono::seconds kDelay(3);
          std::mutex mutex;
          std::unique_lock lock(mutex);
          std::condition_variable_any ended;
          ended.wait_for(lock, stop, kDelay, [] { return false; });
          if (stop.stop_requested()) return;
          context.output.Note(
              fmt::format("waiting for job {} to end; a program that is still running is killed "
                          "after its grace period (default: 30s)",
                          id));
        }) {}

 private:
  std::jthread thread_;
};

Result<Cancellation> Cancel(const Job& job, Context& context) {
  KINETIC_ASSIGN_OR_RETURN(JobSummary summary, job.Summary(context.stop));
  if (IsTerminal(summary.state)) return Cancellation{std::move(summary), true};
  {
    const WaitNote note(job.id(), context);
    const std::string interrupted =
        fmt::format("\ninterrupted before job {} had ended; to see its state: kinetic status {}",
                    ShownId(job.id()), IdWords(job.id()));
    if (context.signals != nullptr) context.signals->SetLastWords(interrupted + "\n");
    const Status cancelled = job.Cancel({.stop = context.stop});
    if (!cancelled && context.stop.stop_requested()) context.output.Note(interrupted);
    if (context.signals != nullptr) context.signals->SetLastWords({});
    KINETIC_RETURN_IF_ERROR(cancelled);
  }
  KINETIC_ASSIGN_OR_RETURN(summary, job.Summary(context.stop));
  return Cancellation{std::move(summary), false};
}

Result<int> Run(const CancelOptions& options, Context& context) {
  KINETIC_RETURN_IF_ERROR(CheckSelection(options.ids, options.filter));
  KINETIC_ASSIGN_OR_RETURN(Client client, OpenClient(context));
  // All jobs are found before any is cancelled, so that a mistyped ID has no effect.
  KINETIC_ASSIGN_OR_RETURN(
      std::vector<Job> selected,
      SelectJobs(client, options.ids, options.filter, Selectable::kUnfinished, "cancel", context));
  KINETIC_ASSIGN_OR_RETURN(
      const std::vector<Job> jobs,
      SelectTasks(std::move(selected), options.tasks, TaskNumber::kSeveral, context));
  int code = kSuccess;
  Value::List documents;
  for (const Job& job : jobs) {
    KINETIC_ASSIGN_OR_RETURN(const Cancellation done, Cancel(job, context));
    const std::string_view state = Name(done.summary.state);
    documents.push_back(ToDocument(done.summary));
    if (!done.had_ended) {
      context.output.Line(fmt::format("{} {}", ShownId(job.id()), state));
      NoteEarlierEnd(done.summary, context);
    } else if (!options.ids.empty()) {
      code = kException;
      context.output.Warn(fmt::format("job {} had already ended: {}", ShownId(job.id()), state));
    }
  }
  if (context.output.IsJson()) context.output.Document(std::move(documents));
  return code;
}

}  // namespace

void RegisterCancel(Command& parent) {
  Command& command =
      parent.Add({.name = "cancel",
                  .summary = "Cancel jobs",
                  .description = "Send SIGTERM to jobs, and kill processes that remain after the "
                                 "grace period. Returns when the\n"
                                 "jobs have ended. Exits with 1 if a job had already ended.",
                  .usage = {"[OPTIONS] ID...", "[OPTIONS] --all|--name NAME|--tag NAME=VALUE"},
                  .examples = {"kinetic cancel hello", "kinetic cancel --all --older-than 1d"}});
  auto options = std::make_shared<CancelOptions>();
  AddJobsArgument(command, options->ids, CompletionKind::kUnfinishedJob);
  AddTaskOption(command, "Cancel", TaskNumber::kSeveral, options->tasks);
  command.Flag({"--all", "", "Cancel all your unfinished jobs"}, options->filter.all);
  AddFilterOptions(command, "Cancel", options->filter);
  command.SetAction([options](Context& context) { return Run(*options, context); });
}

}  // namespace kinetic::cli
