#pragma once

#include "kinetic/result.h"

#include "base/files/unique_fd.h"
#include "local/runtime.h"
#include "record/job_record.h"
#include "record/task_range.h"

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace kinetic::runner {

/// How a task has ended.
enum class TaskEnd : std::uint8_t {
  kSucceeded,
  kFailed,
  kCancelled,
  kNotStored,  ///< the store did not accept the result; the runtime directory has it
};

using record::TaskRange;

/// A child process that supervises tasks of an array like jobs, one after the other.
struct TaskProcess {
  pid_t pid = 0;
  TaskRange tasks;
  UniqueFd ends;           ///< one byte for each task that has ended
  std::uint32_t done = 0;  ///< tasks that have ended

  /// Returns the ends of the tasks that have ended since the last call.
  std::vector<TaskEnd> ReadEnds();
};

/// Starts a process that prepares the folders of each task, runs it, and stores its result. Tasks that
/// have a result are not run again. Between two tasks, the process ends if `StopFile` exists.
///
/// @param request  of the job.
/// @errors         kResourceExhausted.
/// @threads        call while this process has one thread.
Result<TaskProcess> StartTasks(const local::LaunchRequest& request, const record::Record& job,
                               TaskRange tasks);

/// Starts a process that only stores that a task was lost, because the process that supervised it was
/// killed.
Result<TaskProcess> StartLossOfTask(const local::LaunchRequest& request, const record::Record& job,
                                    std::uint32_t task);

/// Returns the runtime directory of a task. Tasks that one process runs share it; while one of them
/// runs, a link has the name of its directory.
local::Runtime TaskRuntime(const local::LaunchRequest& request, const record::Record& job,
                           TaskRange tasks);

/// Returns the file that ends the processes of a job between two tasks.
Path StopFile(const local::Runtime& job);

}  // namespace kinetic::runner
