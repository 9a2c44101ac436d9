#include "runner/pod/task_sequence.h"

#include "kinetic/try.h"

#include "local/replace_file.h"
#include "pod/container.h"
#include "record/task_range.h"
#include "record/task_record.h"
#include "runner/diagnostics.h"
#include "runner/program/request.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::chrono::milliseconds kEndPoll{50};

LauncherExit StoppedExit() {
  return {pod::kRetryRequested, "stopped before all tasks of the pod had ended", {}};
}

/// Returns the request that the launcher has, or had last.
std::optional<ProgramRequest> LastRequest(FileSystem& fs, const PodFolder& folder) {
  for (const Path& file : {folder.ClaimedRequest(), folder.Request(), folder.ClaimedRequest()}) {
    const auto json = ReadFile(fs, file, kMaxPodDocumentBytes);
    if (!json) continue;
    auto request = ProgramRequestFromJson(*json);
    if (request) return *std::move(request);
  }
  return std::nullopt;
}

}  // namespace

TaskSequence::TaskSequence(JobStore::Dependencies deps, Job job, PodFolder folder,
                           PodIdentity identity)
    : deps_(deps),
      job_(std::move(job)),
      folder_(std::move(folder)),
      identity_(std::move(identity)) {}

LauncherExit TaskSequence::Run() {
  const record::TaskRange tasks = record::TasksOfPod(*job_.record.spec.array, job_.pod);
  next_.task = tasks.first;
  if (const auto json = ReadFile(deps_.fs, folder_.Next(), kMaxPodDocumentBytes)) {
    if (const auto next = NextTaskFromJson(*json)) next_ = *next;
  }
  while (next_.task < tasks.first + tasks.count) {
    auto exit = RunNext();
    if (!exit) {
      LogFailure("running the tasks of the pod", Failure(exit.error()));
      return {pod::kCollectorLost, exit.error().message, {}};
    }
    if (*exit) return **std::move(exit);
  }
  return {};
}

/// Returns the exit if no other task may run.
Result<std::optional<LauncherExit>> TaskSequence::RunNext() {
  KINETIC_ASSIGN_OR_RETURN(const record::Record task, record::TaskRecord(job_.record, next_.task));
  KINETIC_RETURN_IF_ERROR(Begin(task));
  const bool resumes =
      Exists(deps_.fs, folder_.Request()) || Exists(deps_.fs, folder_.ClaimedRequest());
  if (IsStopped() && !resumes) return std::optional(StoppedExit());
  PodCollector collector(deps_, {.record = task, .image = job_.image, .next = next_}, folder_,
                         identity_, nullptr);
  LauncherExit exit = collector.Run();
  terminated_ = terminated_ || collector.terminated();
  if (exit.exit_code == pod::kCollectorLost) return std::optional(std::move(exit));
  const bool is_again = exit.exit_code == pod::kRetryRequested;
  KINETIC_RETURN_IF_ERROR(Advance(collector, is_again));
  if (!is_again && exit.exit_code != 0 && collector.HaveTooManyTasksFailed()) {
    return std::optional(LauncherExit{pod::kTooManyTasksFailed, std::move(exit.message), {}});
  }
  KINETIC_ASSIGN_OR_RETURN(const auto launcher, GetLauncherState(deps_.fs, folder_));
  if (launcher != LauncherState::kDead) return std::optional<LauncherExit>();
  return std::optional(StoppedExit());
}

/// Removes the request of an earlier task, or attempt, that an earlier collector has left.
Status TaskSequence::Begin(const record::Record& task) {
  const auto last = LastRequest(deps_.fs, folder_);
  if (!last || (last->job_id == task.id && last->attempt >= next_.attempt)) return {};
  return ClearTask(deps_.fs, folder_);
}

/// Prepares the folder for the next task or attempt.
Status TaskSequence::Advance(const PodCollector& ended, bool is_again) {
  next_.prepared = next_.prepared || ended.prepared();
  next_.attempt = is_again ? std::max(next_.attempt, ended.attempt() + 1) : 1;
  if (!is_again) ++next_.task;
  KINETIC_RETURN_IF_ERROR(AwaitLauncher());
  if (ended.has_cancelled_task()) {
    const Status removed = deps_.fs.Unlink(folder_.runtime.CancelRequest());
    if (!removed && removed.error().code != ErrorCode::kNotFound) return removed;
  }
  KINETIC_RETURN_IF_ERROR(local::ReplaceFile(deps_.fs, folder_.Next(), ToJson(next_), 0600));
  return ClearTask(deps_.fs, folder_);
}

/// Waits until the launcher has no program. It may still run that of a task whose result a client
/// has stored, which is then stopped with the pod: another one runs the rest.
Status TaskSequence::AwaitLauncher() {
  for (;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto launcher, GetLauncherState(deps_.fs, folder_));
    const bool runs = Exists(deps_.fs, folder_.ClaimedRequest()) &&
                      !Exists(deps_.fs, folder_.Report()) && launcher == LauncherState::kAlive;
    if (!runs) return {};
    KINETIC_RETURN_IF_ERROR(Touch(deps_.fs, folder_.runtime.CancelRequest()));
    KINETIC_RETURN_IF_ERROR(deps_.clock.Sleep(kEndPoll, {}));
  }
}

bool TaskSequence::IsStopped() const {
  return terminated_ || Exists(deps_.fs, folder_.runtime.CancelRequest());
}

}  // namespace kinetic::runner
