#include "runner/local/array_supervisor.h"

#include "kinetic/try.h"

#include "local/process_identity.h"
#include "record/heartbeat.h"
#include "record/index.h"
#include "record/outcome.h"
#include "record/task_id.h"
#include "runner/attempt/interruption.h"
#include "runner/attempt/lifecycle.h"
#include "runner/diagnostics.h"
#include "runner/local/supervisor.h"
#include "runner/staging/retrying_store.h"

#include <fmt/format.h>

#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

/// Time between two looks at the queue while a task waits for its turn.
constexpr milliseconds kQueuePause{20};
/// Time between two checks for requests of clients that cannot send signals.
constexpr milliseconds kLongestPause{1000};

std::uint32_t ParallelOf(const local::LaunchRequest& request, const ArraySpec& array) {
  const std::uint32_t wanted = array.parallel == 0 ? request.concurrency : array.parallel;
  return std::max(1U, std::min(wanted, array.count));
}

}  // namespace

ArraySupervisor::ArraySupervisor(const local::LaunchRequest& request, const TakenJob& job,
                                 local::QueueTicket ticket)
    : request_(request),
      job_(job),
      runtime_(local::RuntimeOf(request.state_dir, job.record.id)),
      parallel_(ParallelOf(request, *job.record.spec.array)),
      max_places_(std::min(parallel_, std::max(1U, request.concurrency))),
      status_(PosixFileSystem(), SystemClock(), runtime_.StatusFile(), KeyOf(job.record)),
      pulse_(PosixFileSystem(), runtime_),
      next_beat_(SystemClock().Steady() + record::kFirstHeartbeat) {
  counts_.tasks = job.record.spec.array->count;
  places_.push_back({.ticket = std::move(ticket)});
}

Status ArraySupervisor::Run() {
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_BLOCK, &children, nullptr);
  for (int signal = 0; HasMore() || !processes_.empty();) {
    CheckStop(signal);
    const Status started = StartWhatMayStart();
    const std::string trouble = started ? std::string() : started.error().message;
    if (trouble != trouble_) LogFailure("starting tasks", started);
    trouble_ = trouble;
    Report();
    Beat();
    signal = AwaitSignalOrChild(Pause());
    Reap();
  }
  places_.clear();
  return Finish();
}

/// A disk that is full, or too many processes, may be a matter of time.
Status ArraySupervisor::StartWhatMayStart() {
  KINETIC_RETURN_IF_ERROR(TakePlaces());
  return StartTasks();
}

/// Returns whether there are tasks to start. A store that rejects a result rejects the next ones, too.
bool ArraySupervisor::HasMore() const {
  return reason_ == StopReason::kNone && !too_many_failed_ && !has_unstored_ &&
         (next_ < counts_.tasks || !again_.empty());
}

Status ArraySupervisor::TakePlaces() {
  const std::uint32_t size = job_.record.spec.array->tasks_per_pod;
  const std::size_t left = again_.size() + (counts_.tasks - next_ + size - 1) / size;
  while (HasMore() &&
         places_.size() < std::min<std::size_t>(max_places_, processes_.size() + left)) {
    KINETIC_ASSIGN_OR_RETURN(
        auto ticket,
        local::QueueTicket::Take(PosixFileSystem(), request_.state_dir, job_.record.id));
    places_.push_back({.ticket = std::move(ticket)});
  }
  return {};
}

Status ArraySupervisor::StartTasks() {
  for (Place& place : places_) {
    if (!place.has_turn) {
      KINETIC_ASSIGN_OR_RETURN(const std::size_t ahead,
                               place.ticket.CountAhead(request_.concurrency));
      place.has_turn = ahead < request_.concurrency;
    }
    if (!place.has_turn) return {};  // the later ones wait, too
    if (!place.is_awaited) KINETIC_RETURN_IF_ERROR(StartTasksIn(place));
  }
  return {};
}

Status ArraySupervisor::StartTasksIn(Place& place) {
  const std::uint32_t share = (parallel_ + max_places_ - 1) / max_places_;
  while (HasMore() && place.running < share && processes_.size() < parallel_) {
    if (!status_.TimeOf("started")) status_.AddEvent("started");
    KINETIC_ASSIGN_OR_RETURN(TaskProcess process,
                             runner::StartTasks(request_, job_.record, TakeTasks()));
    processes_.push_back({.place = &place, .process = std::move(process)});
    ++place.running;
    ++counts_.running;
  }
  return {};
}

milliseconds ArraySupervisor::Pause() const {
  const bool waits = std::ranges::any_of(places_, [](const Place& p) { return !p.has_turn; });
  return waits && trouble_.empty() ? kQueuePause : kLongestPause;
}

/// Returns the tasks of the next process. HasMore() is true.
TaskRange ArraySupervisor::TakeTasks() {
  if (!again_.empty()) {
    const TaskRange tasks = again_.back();
    again_.pop_back();
    return tasks;
  }
  const TaskRange tasks{next_,
                        std::min(job_.record.spec.array->tasks_per_pod, counts_.tasks - next_)};
  next_ += tasks.count;
  return tasks;
}

void ArraySupervisor::Reap() {
  for (Process& process : processes_) ReadEnds(process);
  for (pid_t child = 0; (child = ::waitpid(-1, nullptr, WNOHANG)) > 0;) {
    // Others were left by a process that was killed.
    const auto process = std::ranges::find_if(
        processes_, [&](const Process& one) { return one.process.pid == child; });
    if (process != processes_.end()) OnExit(*process);
  }
  std::erase_if(processes_, [](const Process& process) { return process.process.pid < 0; });
  ReleasePlaces();
}

/// Gives up places in which nothing runs, if another job waits for them or no task is left.
void ArraySupervisor::ReleasePlaces() {
  std::erase_if(places_, [&](const Place& place) {
    return place.running == 0 && (place.is_awaited || !HasMore());
  });
}

void ArraySupervisor::ReadEnds(Process& process) {
  for (const TaskEnd end : process.process.ReadEnds()) Count(end);
}

/// A process that exits before the end of all tasks was killed, or told to stop.
void ArraySupervisor::OnExit(Process& process) {
  ReadEnds(process);
  const TaskRange tasks = process.process.tasks;
  const TaskRange left{tasks.first + process.process.done, tasks.count - process.process.done};
  const bool is_lost =
      left.count > 0 && reason_ == StopReason::kNone && !too_many_failed_ && !has_unstored_;
  if (left.count > 0) EndProcessesOf(process);
  if (is_lost && !process.stores_loss) {
    if (left.count > 1) again_.push_back({left.first + 1, left.count - 1});
    auto storing = StartLossOfTask(request_, job_.record, left.first);
    if (storing) {
      process.process = *std::move(storing);
      process.stores_loss = true;
      return;
    }
    LogFailure("storing that a task was lost", Failure(storing.error()));
  }
  if (is_lost) has_unstored_ = true;
  process.process.pid = -1;
  --process.place->running;
  --counts_.running;
  const auto awaited = process.place->ticket.IsAwaited();
  process.place->is_awaited = awaited && *awaited;
  if (has_unstored_) return;
  LogFailure("cleaning up",
             RemoveTree(PosixFileSystem(), TaskRuntime(request_, job_.record, tasks).folder));
}

void ArraySupervisor::EndProcessesOf(const Process& process) const {
  const TaskRange tasks = process.process.tasks;
  for (std::uint32_t i = 0; i <= std::min(process.process.done, tasks.count - 1); ++i) {
    const std::string nonce = record::TaskNonce(job_.record.nonce, tasks.first + i);
    LogFailure("ending the processes of a task",
               local::EndProcesses(nonce, milliseconds(0), SystemClock(), {}));
  }
}

void ArraySupervisor::Count(TaskEnd end) {
  if (end == TaskEnd::kSucceeded) ++counts_.succeeded;
  if (end == TaskEnd::kCancelled) ++counts_.cancelled;
  if (end == TaskEnd::kFailed) ++counts_.failed;
  if (end == TaskEnd::kNotStored) has_unstored_ = true;
  const auto& tolerated = job_.record.spec.array->max_failed;
  if (tolerated && counts_.failed > *tolerated && !too_many_failed_) {
    too_many_failed_ = true;
    Stop(StopReason::kCancelled);
  }
}

/// @param signal  the last one, or -1.
void ArraySupervisor::CheckStop(int signal) {
  if (reason_ != StopReason::kNone) return;
  const bool started = counts_.running != 0 || counts_.Ended() != 0;
  if (signal == SIGTERM) reason_ = StopReason::kTerminated;
  if (PosixFileSystem().Lstat(runtime_.CancelRequest())) reason_ = StopReason::kCancelled;
  if (!pulse_.Beat()) reason_ = StopReason::kFolderRemoved;
  if (!started && job_.start_deadline && SystemClock().Steady() >= *job_.start_deadline) {
    reason_ = StopReason::kPendingTimeout;
  }
  if (reason_ != StopReason::kNone) Stop(reason_);
}

/// Ends the tasks that run, in the way that their supervisors know. They notice a removed folder.
void ArraySupervisor::Stop(StopReason reason) {
  FileSystem& fs = PosixFileSystem();
  const auto create = [&](const Path& file) {
    const auto created = fs.Open(file, OpenMode::kReadWrite, 0600);
    if (!created) LogFailure("stopping the tasks", Failure(created.error()));
  };
  if (reason != StopReason::kFolderRemoved) create(StopFile(runtime_));
  for (const Process& process : processes_) {
    if (reason == StopReason::kTerminated) ::kill(process.process.pid, SIGTERM);
    if (reason != StopReason::kCancelled) continue;
    create(TaskRuntime(request_, job_.record, process.process.tasks).CancelRequest());
    ::kill(process.process.pid, SIGCONT);
  }
}

void ArraySupervisor::Report() {
  const bool started = status_.TimeOf("started").has_value();
  status_.SetTasks(counts_);
  std::string reason =
      started ? counts_.ToString()
              : fmt::format("waiting for other jobs; concurrency is {}", request_.concurrency);
  if (!trouble_.empty()) reason = trouble_;
  if (reason == reported_) return;
  reported_ = reason;
  LogFailure("writing the status", started ? status_.Set(JobState::kRunning, Phase::kRun, reason)
                                           : status_.Set(JobState::kQueued, Phase::kQueue, reason));
}

/// Tells the store that this supervisor is alive. The store is closed again, because this process
/// forks.
void ArraySupervisor::Beat() {
  if (SystemClock().Steady() < next_beat_) return;
  next_beat_ = SystemClock().Steady() + record::kHeartbeatInterval;
  StoreAccess access(request_);
  access.cloud.LimitRetries(kRequestRetryTime);
  const auto store = store::Reopen(request_.store, access.access, {});
  if (!store) return;
  (void)record::WriteHeartbeat(**store, HeartbeatOf(job_.record, job_.identity), {});
  JobSummary summary = record::SummaryOf(job_.record);
  summary.state = JobState::kRunning;
  summary.started = status_.TimeOf("started");
  summary.attempt = 1;
  if (summary.started) LogFailure("writing the index", record::WriteIndex(**store, summary, {}));
}

Outcome ArraySupervisor::Conclude() const {
  Outcome outcome;
  if (reason_ != StopReason::kNone) {
    outcome = ClassifyInterruption(job_.record.spec, reason_, Phase::kRun);
    outcome.reason += "; " + counts_.ToString();
  } else if (counts_.succeeded == counts_.tasks) {
    outcome.state = JobState::kSucceeded;
  } else {
    outcome.state = JobState::kFailed;
    outcome.exit_code = record::kExitException;
    outcome.reason = record::FailureText(counts_);
    if (too_many_failed_) {
      outcome.reason += fmt::format("; max_failed is {}", *job_.record.spec.array->max_failed);
    }
  }
  outcome.tasks = counts_;
  return outcome;
}

Status ArraySupervisor::Finish() {
  status_.AddEvent("ended");
  StoreAccess access(request_);
  access.cloud.LimitRetries(kRequestRetryTime);
  KINETIC_ASSIGN_OR_RETURN(const auto store, store::Reopen(request_.store, access.access, {}));
  if (has_unstored_) {
    return Fail(ErrorCode::kUnavailable,
                "the store did not accept the results of all tasks; the next client stores them");
  }
  AttemptLifecycle lifecycle({*store, PosixFileSystem(), SystemClock(), &access.cloud}, job_.record,
                             {runtime_, {}, {}, {}});
  lifecycle.status_file().Resume(status_.status());
  Outcome outcome = Conclude();
  lifecycle.SaveOutcome(outcome);
  KINETIC_ASSIGN_OR_RETURN(const bool written, lifecycle.StoreResult(outcome));
  lifecycle.SetStatus(outcome.state, outcome.phase, outcome.reason);
  if (written) lifecycle.IndexResult(outcome);
  const auto finished = PosixFileSystem().Open(runtime_.Finished(), OpenMode::kTruncate, 0600);
  if (!finished) LogFailure("cleaning up", Failure(finished.error()));
  return {};
}

}  // namespace kinetic::runner
