#include "runner/local/task_process.h"

#include "kinetic/try.h"

#include "base/files/file_lock.h"
#include "base/process/child.h"
#include "local/process_identity.h"
#include "local/replace_file.h"
#include "record/ended_task.h"
#include "record/log/stored_log.h"
#include "record/outcome.h"
#include "record/task_id.h"
#include "record/task_record.h"
#include "runner/attempt/lifecycle.h"
#include "runner/diagnostics.h"
#include "runner/local/daemon.h"
#include "runner/local/supervisor.h"
#include "runner/local/taken_job.h"
#include "runner/staging/job_store.h"
#include "runner/staging/retrying_store.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <functional>
#include <optional>
#include <utility>

namespace kinetic::runner {
namespace {

/// The descriptor of the pipe to the parent.
constexpr int kEndsFd = STDERR_FILENO + 1;

TaskEnd EndOf(JobState state) {
  if (state == JobState::kSucceeded) return TaskEnd::kSucceeded;
  return state == JobState::kCancelled ? TaskEnd::kCancelled : TaskEnd::kFailed;
}

/// What a process works with.
struct TaskContext {
  store::Store& store;
  StoreAccess& access;
  const local::LaunchRequest& request;  ///< of the job
  const record::Record& job;
  const TaskRange tasks;
  const local::Runtime runtime;
  TaskBatch* batch;  ///< null: one task

  JobStore::Dependencies deps() const {
    return {store, PosixFileSystem(), SystemClock(), &access.cloud};
  }
};

using TaskFunction =
    std::function<Result<TaskEnd>(const TaskContext& context, const record::Record& task)>;

/// Lets the name of the task's own directory refer to the shared one.
Status LinkRuntime(const TaskContext& context, const Path& link) {
  if (link == context.runtime.folder) return {};
  KINETIC_RETURN_IF_ERROR(RemoveTree(PosixFileSystem(), link));
  return PosixFileSystem().MakeSymlink(context.runtime.folder.filename().native(), link);
}

/// Runs one task of the batch in the runtime directory, which another one may have used.
Result<TaskEnd> RunTask(const TaskContext& context, const record::Record& task) {
  FileSystem& fs = PosixFileSystem();
  local::LaunchRequest request = context.request;
  request.job_id = task.id;
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs, context.runtime.Spool()));
  KINETIC_ASSIGN_OR_RETURN(const auto identity, local::IdentifyThisProcess(task.nonce));
  KINETIC_RETURN_IF_ERROR(WriteIdentity(context.runtime, identity));
  KINETIC_RETURN_IF_ERROR(Announce(fs, SystemClock(), context.runtime, KeyOf(task)));
  const Path link = local::RuntimeOf(request.state_dir, task.id).folder;
  KINETIC_RETURN_IF_ERROR(LinkRuntime(context, link));
  std::optional<Supervisor> supervisor;
  if (context.batch != nullptr) {
    supervisor.emplace(context.deps(), request, task, identity, context.runtime, *context.batch);
  } else {
    supervisor.emplace(context.deps(), request, task, identity, std::nullopt);
  }
  const Status stored = supervisor->Run(std::nullopt, [] {});
  LogFailure("storing the result", stored);
  if (!stored) return TaskEnd::kNotStored;
  if (link != context.runtime.folder) LogFailure("cleaning up", RemoveTree(fs, link));
  return EndOf(supervisor->state());
}

/// Stores the outcome of a task whose process was killed. The end of its log is lost with it.
Result<TaskEnd> StoreLoss(const TaskContext& context, const record::Record& task) {
  AttemptLifecycle lifecycle(context.deps(), task, {context.runtime, {}, {}, {}});
  const auto log = record::CountLogRecords(context.store, KeyOf(task), {});
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

/// Runs a task unless it has a result.
Result<TaskEnd> EndTask(const TaskContext& context, std::uint32_t number, const TaskFunction& run) {
  KINETIC_ASSIGN_OR_RETURN(const record::Record task, record::TaskRecord(context.job, number));
  KINETIC_ASSIGN_OR_RETURN(const auto known, ReadOwnResult(context.store, task, {}));
  if (!known) return run(context, task);
  LogFailure("writing the summary of the task",
             record::WriteEndedTask(context.store, known->outcome, {}));
  return EndOf(known->outcome.outcome.state);
}

/// Runs the tasks, and reports the end of each one.
Status Work(const local::LaunchRequest& request, const record::Record& job, TaskRange tasks,
            const TaskFunction& run) {
  FileSystem& fs = PosixFileSystem();
  StoreAccess access(request);
  access.cloud.LimitRetries(kRequestRetryTime);
  KINETIC_ASSIGN_OR_RETURN(const auto store, store::Reopen(request.store, access.access, {}));
  TaskBatch batch;
  const TaskContext context{*store,
                            access,
                            request,
                            job,
                            tasks,
                            TaskRuntime(request, job, tasks),
                            tasks.count > 1 ? &batch : nullptr};
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, context.runtime.folder, 0700));
  KINETIC_ASSIGN_OR_RETURN(const auto lock, FileLock::Try(fs, context.runtime.Lock()));
  if (!lock) return Fail(ErrorCode::kAborted, "another process supervises the tasks");
  KINETIC_RETURN_IF_ERROR(local::ReplaceFile(fs, context.runtime.StoreFile(), request.store, 0600));
  const Path stop = StopFile(local::RuntimeOf(request.state_dir, job.id));
  for (std::uint32_t i = 0; i < tasks.count && !fs.Lstat(stop); ++i) {
    if (i > 0) (void)fs.Unlink(context.runtime.CancelRequest());  // that of the task before
    KINETIC_ASSIGN_OR_RETURN(const TaskEnd end, EndTask(context, tasks.first + i, run));
    const auto byte = static_cast<char>(end);
    if (::write(kEndsFd, &byte, 1) != 1) return Fail(ErrorCode::kAborted, "the job has ended");
    if (end == TaskEnd::kNotStored) return {};  // the folder has the result
    if (tasks.count > 1) ::kill(::getppid(), SIGCONT);
  }
  return {};
}

/// Runs in the new process, and ends it.
[[noreturn]] void Main(const local::LaunchRequest& request, const record::Record& job,
                       TaskRange tasks, int ends, const TaskFunction& run) {
  // Locks and tickets are those of the parent.
  ::dup2(ends, kEndsFd);
  ::close_range(kEndsFd + 1, ~0U, 0);
  ::fcntl(kEndsFd, F_SETFD, FD_CLOEXEC);
  sigset_t children;
  sigemptyset(&children);
  sigaddset(&children, SIGCHLD);
  ::sigprocmask(SIG_UNBLOCK, &children, nullptr);
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Status worked = Work(request, job, tasks, run);
  LogFailure("supervising tasks", worked);
  ::_exit(worked ? 0 : 1);
}

Result<TaskProcess> Start(const local::LaunchRequest& request, const record::Record& job,
                          TaskRange tasks, const TaskFunction& run) {
  KINETIC_ASSIGN_OR_RETURN(Pipe pipe, MakePipe());
  ::fcntl(pipe.read.get(), F_SETFL, O_NONBLOCK);
  KINETIC_ASSIGN_OR_RETURN(const pid_t child, ForkAlone());
  if (child == 0) Main(request, job, tasks, pipe.write.get(), run);
  return TaskProcess{child, tasks, std::move(pipe.read), 0};
}

}  // namespace

std::vector<TaskEnd> TaskProcess::ReadEnds() {
  std::vector<TaskEnd> read;
  char byte = 0;
  while (::read(ends.get(), &byte, 1) == 1) {
    read.push_back(static_cast<TaskEnd>(byte));
    ++done;
  }
  return read;
}

Result<TaskProcess> StartTasks(const local::LaunchRequest& request, const record::Record& job,
                               TaskRange tasks) {
  return Start(request, job, tasks, &RunTask);
}

Result<TaskProcess> StartLossOfTask(const local::LaunchRequest& request, const record::Record& job,
                                    std::uint32_t task) {
  return Start(request, job, {task, 1}, &StoreLoss);
}

local::Runtime TaskRuntime(const local::LaunchRequest& request, const record::Record& job,
                           TaskRange tasks) {
  if (tasks.count == 1) {
    return local::RuntimeOf(request.state_dir, record::TaskId(job.id, tasks.first));
  }
  const local::Runtime runtime = local::RuntimeOf(request.state_dir, job.id);
  return local::Runtime{runtime.folder / "tasks" / fmt::format("batch-{:06}", tasks.first)};
}

Path StopFile(const local::Runtime& job) { return job.folder / "stop"; }

}  // namespace kinetic::runner
