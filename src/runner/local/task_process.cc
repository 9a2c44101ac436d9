#include "runner/local/task_process.h"

#include "kinetic/try.h"

#include "base/files/file_lock.h"
#include "local/process_identity.h"
#include "local/replace_file.h"
#include "record/ended_task.h"
#include "record/log/stored_log.h"
#include "record/outcome.h"
#include "record/task_record.h"
#include "runner/attempt/lifecycle.h"
#include "runner/diagnostics.h"
#include "runner/local/daemon.h"
#include "runner/local/supervisor.h"
#include "runner/local/taken_job.h"
#include "runner/staging/job_store.h"
#include "runner/staging/retrying_store.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <utility>

namespace kinetic::runner {
namespace {

TaskEnd EndOf(JobState state) {
  if (state == JobState::kSucceeded) return TaskEnd::kSucceeded;
  return state == JobState::kCancelled ? TaskEnd::kCancelled : TaskEnd::kFailed;
}

/// What the process of a task works with.
struct TaskContext {
  store::Store& store;
  StoreAccess& access;
  const local::LaunchRequest& request;
  const record::Record& record;
  const local::Runtime runtime;
};

/// Takes over the runtime directory of a task. Returns its lock.
Result<FileLock> TakeTask(const TaskContext& task, const local::SupervisorIdentity& identity) {
  FileSystem& fs = PosixFileSystem();
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, task.runtime.folder, 0700));
  KINETIC_ASSIGN_OR_RETURN(auto lock, FileLock::Try(fs, task.runtime.Lock()));
  if (!lock) return Fail(ErrorCode::kAborted, "another process supervises " + task.record.id);
  KINETIC_RETURN_IF_ERROR(Announce(fs, SystemClock(), task.runtime, KeyOf(task.record)));
  KINETIC_RETURN_IF_ERROR(
      local::ReplaceFile(fs, task.runtime.StoreFile(), task.request.store, 0600));
  KINETIC_RETURN_IF_ERROR(WriteIdentity(task.runtime, identity));
  return *std::move(lock);
}

Result<TaskEnd> RunTask(const TaskContext& task) {
  KINETIC_ASSIGN_OR_RETURN(const auto identity, local::IdentifyThisProcess(task.record.nonce));
  KINETIC_ASSIGN_OR_RETURN(const FileLock lock, TakeTask(task, identity));
  Supervisor supervisor({task.store, PosixFileSystem(), SystemClock(), &task.access.cloud},
                        task.request, task.record, identity, std::nullopt);
  if (const Status stored = supervisor.Run(std::nullopt, [] {}); !stored) {
    LogFailure("storing the result", stored);
    return TaskEnd::kNotStored;
  }
  return EndOf(supervisor.state());
}

/// Stores the outcome of a task whose process was killed. The end of its log is lost with it.
Result<TaskEnd> StoreLoss(const TaskContext& task) {
  AttemptLifecycle lifecycle({task.store, PosixFileSystem(), SystemClock(), &task.access.cloud},
                             task.record, {task.runtime, {}, {}, {}});
  const auto log = record::CountLogRecords(task.store, KeyOf(task.record), {});
  lifecycle.SetLogRecords(log ? *log : 0);
  Outcome outcome;
  outcome.state = JobState::kLost;
  outcome.exit_code = record::kExitLost;
  outcome.exit_source = ExitSource::kKinetic;
  outcome.reason = "the process that supervised the task was killed";
  lifecycle.SetLogGap(outcome.reason);
  lifecycle.SaveOutcome(outcome);
  KINETIC_ASSIGN_OR_RETURN(const bool written, lifecycle.StoreResult(outcome));
  if (written) lifecycle.IndexResult(outcome);
  return TaskEnd::kFailed;
}

using TaskFunction = std::function<Result<TaskEnd>(const TaskContext&)>;

Result<TaskEnd> Supervise(local::LaunchRequest request, const record::Record& job,
                          std::uint32_t number, const TaskFunction& run) {
  KINETIC_ASSIGN_OR_RETURN(const record::Record record, record::TaskRecord(job, number));
  request.job_id = record.id;
  StoreAccess access(request);
  access.cloud.LimitRetries(kRequestRetryTime);
  KINETIC_ASSIGN_OR_RETURN(const auto store, store::Reopen(request.store, access.access, {}));
  const TaskContext task{*store, access, request, record,
                         local::RuntimeOf(request.state_dir, record.id)};
  KINETIC_ASSIGN_OR_RETURN(const auto known, ReadOwnResult(*store, record, {}));
  if (!known) return run(task);
  const record::EndedTask ended = record::EndedTaskOf(record.id, known->outcome.outcome);
  LogFailure("writing the summary of the task",
             record::WriteEndedTask(*store, KeyOf(record), ended, {}));
  return EndOf(known->outcome.outcome.state);
}

/// Ends this process.
[[noreturn]] void Work(const local::LaunchRequest& request, const record::Record& job,
                       std::uint32_t task, const TaskFunction& run) {
  // Locks and tickets are those of the parent.
  constexpr int kFirst = STDERR_FILENO + 1;
  ::close_range(kFirst, ~0U, 0);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_UNBLOCK, &children, nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const auto end = Supervise(request, job, task, run);
  if (!end) LogFailure("supervising a task", Failure(end.error()));
  ::_exit(static_cast<int>(end ? *end : TaskEnd::kDied));
}

Result<pid_t> Start(const local::LaunchRequest& request, const record::Record& job,
                    std::uint32_t task, const TaskFunction& run) {
  KINETIC_ASSIGN_OR_RETURN(const pid_t child, ForkAlone());
  if (child == 0) Work(request, job, task, run);
  return child;
}

}  // namespace

Result<pid_t> StartTask(const local::LaunchRequest& request, const record::Record& job,
                        std::uint32_t task) {
  return Start(request, job, task, &RunTask);
}

Result<pid_t> StartLossOfTask(const local::LaunchRequest& request, const record::Record& job,
                              std::uint32_t task) {
  return Start(request, job, task, &StoreLoss);
}

TaskEnd TaskEndOf(int status) {
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return code >= 0 && code < static_cast<int>(TaskEnd::kDied) ? static_cast<TaskEnd>(code)
                                                              : TaskEnd::kDied;
}

}  // namespace kinetic::runner
