#pragma once

#include "kinetic/result.h"

#include "local/runtime.h"
#include "record/job_record.h"

#include <sys/types.h>

#include <cstdint>

namespace kinetic::runner {

/// How the process that supervises a task has ended.
enum class TaskEnd : std::uint8_t {
  kSucceeded,
  kFailed,
  kCancelled,
  kNotStored,  ///< the store did not accept the result; the runtime directory has it
  kDied,       ///< without a result: it was killed
};

/// Starts a child process that supervises one task of an array like a job: prepares its folders, runs
/// it, and stores its result. Tasks that have a result are not run again.
///
/// @param request  of the job.
/// @threads        call while this process has one thread.
Result<pid_t> StartTask(const local::LaunchRequest& request, const record::Record& job,
                        std::uint32_t task);

/// Same, but only stores that the task was lost, because the process that supervised it was killed.
Result<pid_t> StartLossOfTask(const local::LaunchRequest& request, const record::Record& job,
                              std::uint32_t task);

/// @param status  from waitpid.
TaskEnd TaskEndOf(int status);

}  // namespace kinetic::runner
