#include "commands/job/follow.h"

#include "kinetic/metrics.h"
#include "kinetic/try.h"

#include "commands/submit/price.h"
#include "commands/tasks/counts.h"
#include "commands/tasks/task_values.h"
#include "context.h"
#include "exit_code.h"
#include "output/reader_watch.h"
#include "output/text.h"
#include "signals.h"
#include "time_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

namespace kinetic::cli {
namespace {

/// How long to wait for the log after the job has ended.
constexpr std::chrono::seconds kLogGrace(10);

struct LogStyle {
  bool function;  ///< stdout is for the value, so the log goes to stderr
  bool raw;       ///< as in Output::JobOutput; metrics are lines of the output
};

/// Copies the log to the output from a separate thread.
class LogFollower {
 public:
  LogFollower(const Job& job, LogOptions options, LogStyle style, std::stop_source unread,
              Progress& progress, Context& context)
      : done_(std::async(std::launch::async, [=, this, &job, &progress, &context]() mutable {
          std::uint32_t attempt = 0;
          options.stop = stop_.get_token();
          return job.Logs(options, [&](const LogRecord& record) -> Status {
            if (record.stream != Stream::kSystem && record.attempt != attempt) {
              attempt = record.attempt;
              progress.OnJobOutput();
            }
            if (record.stream == Stream::kStdout && !style.raw && !context.output.IsJson()) {
              if (const auto numbers = ParseMetrics(record.text)) {
                progress.OnMetrics(*numbers);
                return {};
              }
            }
            const bool to_stderr = style.function && record.stream == Stream::kStdout;
            context.output.JobOutput(to_stderr ? Stream::kStderr : record.stream, record.text,
                                     style.raw);
            if (!context.output.IsStdoutClosed()) return {};
            unread.request_stop();
            return Fail(ErrorCode::kCancelled, "stdout is closed");
          });
        })) {}

  void Stop() { stop_.request_stop(); }

  /// Waits for the rest of the log after the job has ended, and returns the result.
  Status Finish() {
    const bool ended = done_.wait_for(kLogGrace) == std::future_status::ready;
    if (!ended) Stop();
    Status status = done_.get();
    if (!ended && (status || status.error().code == ErrorCode::kCancelled))
      return Fail(ErrorCode::kUnavailable, "the end of the log is missing");
    return status;
  }

 private:
  std::stop_source stop_;
  std::future<Status> done_;  // last: it uses the members above
};

/// Shows the counts of an array from a separate thread, until it is destroyed.
class CountsFollower {
 public:
  /// @param keys  what Ctrl-C does.
  CountsFollower(const Job& job, const JobSummary& before, std::string keys, Progress& progress)
      : thread_([&job, &progress, tasks = before.tasks.value_or(TaskCounts()),
                 keys = std::move(keys)](const std::stop_token& stop) {
          const auto begun = std::chrono::steady_clock::now();
          while (!stop.stop_requested()) {
            SleepFor(kCountsInterval, stop);
            const auto now = job.Summary(stop);
            if (!now || !now->tasks || IsTerminal(now->state)) continue;
            const TaskCounts& counts = *now->tasks;
            const std::uint32_t ended = counts.Ended() - std::min(counts.Ended(), tasks.Ended());
            const auto elapsed = std::chrono::steady_clock::now() - begun;
            progress.Update(ProgressText(counts, ended, elapsed), job.id() + keys);
          }
        }) {}

 private:
  static constexpr std::chrono::seconds kCountsInterval{1};

  std::jthread thread_;
};

/// Sets the message that a second Ctrl-C prints about an unfinished job. If empty, it prints none.
void SetLastWords(std::string words, Context& context) {
  if (context.signals != nullptr) context.signals->SetLastWords(std::move(words));
}

std::string DetachedText(const Job& job) {
  return fmt::format(
      "\ndetached: job {0} continues\nto follow it: kinetic attach {0}\n"
      "to cancel it: kinetic cancel {0}",
      job.id());
}

Result<int> Detach(const Job& job, Context& context) {
  if (context.output.IsJson())
    context.output.Document(Value::Map{{"id", job.id()}, {"detached", true}});
  if (context.quiet) context.output.Explain(fmt::format("detached: job {} continues\n", job.id()));
  context.output.Note(DetachedText(job));
  return context.output.IsStdoutClosed() ? kOutputClosed : kInterrupted;
}

Result<Outcome> WaitForEnd(const Job& job, const FollowOptions& options, Progress* progress,
                           const std::stop_source& leave, Context& context) {
  Result<Outcome> outcome = job.Wait({.stop = leave.get_token(), .observer = progress});
  const bool interrupted = context.stop.stop_requested() && options.cancel_on_interrupt;
  if (outcome || outcome.error().code != ErrorCode::kCancelled || !interrupted) return outcome;
  SetLastWords(fmt::format("\ndetached: job {0} is being cancelled\n"
                           "to see its state: kinetic status {0}\n",
                           job.id()),
               context);
  context.output.Note(fmt::format("cancelling job {}; press Ctrl-C again to detach", job.id()));
  KINETIC_RETURN_IF_ERROR(job.Cancel());
  return job.Wait({.observer = progress});
}

/// Returns how long the job's program has been running, or 0 if it has not started.
std::chrono::nanoseconds TimeSinceStart(const JobSummary& summary) {
  const std::chrono::nanoseconds none{0};
  if (!summary.started) return none;
  return std::max(none,
                  summary.finished.value_or(std::chrono::system_clock::now()) - *summary.started);
}

/// Returns whether the job may have stored outputs. Does not ask a bucket, because the request would
/// delay the end of the command.
bool MayHaveOutputs(const Job& job, Context& context) {
  if (context.settings.Text(SettingId::kStore).starts_with("gs://")) return true;
  const auto outputs = job.Outputs(context.stop);
  return !outputs || !outputs->empty();
}

/// Notes the duration of an array, and how to see what it did.
void NoteArrayEnd(const JobSummary& summary, const Outcome& outcome, Context& context) {
  if (context.output.IsJson() || context.quiet || !outcome.tasks) return;
  std::string text = fmt::format("job {}: tasks {}", summary.id, StatesText(*outcome.tasks));
  if (!outcome.timeline.empty())
    text += " in " + FormatDuration(outcome.timeline.back().second - summary.created);
  context.output.Note(text);
  if (outcome.state == JobState::kSucceeded) {
    return context.output.Note("to see a table: kinetic results " + summary.id);
  }
  context.output.Note(
      fmt::format("to see the causes: kinetic why {0}; to run the failed tasks again: kinetic "
                  "rerun {0} --failed",
                  summary.id));
}

/// Writes the answer of a job that has ended. That of an array is a line for each task.
Result<int> WriteAnswer(const Job& job, const JobSummary& summary, const Outcome& outcome,
                        const ValueOptions& answer, Context& context) {
  if (!summary.tasks) return WriteResult(job, summary, outcome, answer, context);
  KINETIC_ASSIGN_OR_RETURN(const int code, WriteTaskValues(job, summary, outcome, context));
  NoteArrayEnd(summary, outcome, context);
  return code;
}

/// An array has one answer for each task, so options for one value do not apply.
Status CheckArrayAnswer(const JobSummary& summary, const ValueOptions& answer) {
  if (!summary.tasks || (!answer.output && !answer.raw)) return {};
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("{} is for one value, but job {} is an array",
                          answer.output ? "--output" : "--raw", summary.id),
              fmt::format("for one task: kinetic result {} --task 0", summary.id));
}

/// Notes the duration of a successful job, and how to get the value and the outputs that it has.
void NoteSuccess(const Job& job, const JobSummary& summary, const Outcome& outcome,
                 Context& context) {
  if (context.output.IsJson() || context.quiet) return;
  std::string text = fmt::format("job {} succeeded", summary.id);
  if (!outcome.timeline.empty())
    text += " in " + FormatDuration(outcome.timeline.back().second - summary.created);
  if (!outcome.value.IsNull()) text += "; value: kinetic result";
  if (MayHaveOutputs(job, context)) text += "; outputs: kinetic outputs get";
  context.output.Note(text);
}

}  // namespace

Result<int> Follow(const Job& job, const FollowOptions& options, std::unique_ptr<Progress> progress,
                   Context& context) {
  KINETIC_ASSIGN_OR_RETURN(JobSummary summary, job.Summary(context.stop));
  KINETIC_RETURN_IF_ERROR(CheckHasValue(summary, options.answer));
  KINETIC_RETURN_IF_ERROR(CheckArrayAnswer(summary, options.answer));
  if (options.submission_begun && summary.created < *options.submission_begun)
    context.output.Note(fmt::format("job {} already exists ({}); nothing was submitted", job.id(),
                                    Name(summary.state)));
  const std::string keys =
      options.cancel_on_interrupt ? "  Ctrl-C cancels it" : "  Ctrl-C detaches";
  progress->Follow(job.id() + keys, TimeSinceStart(summary));
  const ReaderWatch reader(context.output, context.stop);
  SetLastWords(DetachedText(job) + "\n", context);
  std::stop_source leave;
  const std::stop_callback interrupted(reader.token(), [&] { leave.request_stop(); });
  LogOptions log = options.log;
  log.follow = true;
  std::optional<LogFollower> follower;  // an array has no log of its own
  std::optional<CountsFollower> counts;
  if (summary.tasks) {
    counts.emplace(job, summary, keys, *progress);
  } else {
    follower.emplace(job, log, LogStyle{summary.function, options.answer.raw}, leave, *progress,
                     context);
  }
  Result<Outcome> outcome = WaitForEnd(job, options, progress.get(), leave, context);
  counts.reset();
  if (!outcome && follower) follower->Stop();
  const Status logged = follower ? follower->Finish() : Status();
  progress.reset();
  SetLastWords({}, context);
  if (!outcome && outcome.error().code == ErrorCode::kCancelled && leave.stop_requested())
    return Detach(job, context);
  if (!outcome) return Failure(std::move(outcome).error());
  if (!logged && logged.error().code != ErrorCode::kCancelled)
    context.output.Warn(fmt::format("the output shown is incomplete: {}; run 'kinetic logs {}'",
                                    logged.error().message, job.id()));
  // Keep the earlier summary if it cannot be read again, for example after an interrupt that
  // cancelled the job. Text output shows only the outcome, so it skips the extra request.
  if (context.output.IsJson())
    if (Result<JobSummary> ended = job.Summary()) summary = *std::move(ended);
  auto code = WriteAnswer(job, summary, *outcome, options.answer, context);
  const auto advice = options.advise ? options.advise(*outcome) : std::nullopt;
  if (advice) context.output.Explain("hint: " + *advice + "\n");
  if (options.price_per_hour) NoteCost(*outcome, *options.price_per_hour, context);
  if (code && outcome->state == JobState::kSucceeded && !summary.tasks)
    NoteSuccess(job, summary, *outcome, context);
  return code;
}

}  // namespace kinetic::cli
