#pragma once

#include "kinetic/job.h"

#include <cstddef>
#include <functional>
#include <future>
#include <span>
#include <vector>

namespace kinetic::inline v0 {

/// Waits for a job without blocking. Getting the future's value, or its wait_for, blocks.
///
/// @errors of the future: those of Job::OnDone.
KINETIC_EXPORT std::future<Result<Outcome>> WaitAsync(const Job& job,
                                                      const WaitOptions& options = {});

/// A job that has ended.
struct EndedJob {
  std::size_t index;  ///< in the list of jobs
  Outcome outcome;
};

/// Waits until one of the jobs has ended, and returns the first.
///
/// @errors  kInvalidArgument (no jobs) · those of WaitAll.
KINETIC_EXPORT Result<EndedJob> WaitAny(std::span<const Job> jobs, const WaitOptions& options = {});

/// Waits until all jobs have ended. Returns the outcomes in the order of the jobs. A job that failed
/// has an outcome, which is no error.
///
/// @errors  those of Job::OnDone, for any of the jobs · kFailedPrecondition: called by a callback of
///          OnDone, of any client.
KINETIC_EXPORT Result<std::vector<Outcome>> WaitAll(std::span<const Job> jobs,
                                                    const WaitOptions& options = {});

/// Receives a job that has ended. An error stops the waiting and is returned.
using EndedJobSink = std::function<Status(EndedJob ended)>;

/// Waits for all jobs, and calls `done` on the calling thread for each job as it ends.
///
/// @errors  those of `done` and of WaitAll.
KINETIC_EXPORT Status WaitEach(std::span<const Job> jobs, const EndedJobSink& done,
                               const WaitOptions& options = {});

/// Cancels jobs, up to 16 at the same time, and returns when none of their processes is running.
///
/// @errors  those of Job::Cancel, of the first of the jobs that could not be cancelled.
KINETIC_EXPORT Status CancelAll(std::span<const Job> jobs, const StopOptions& options = {});

}  // namespace kinetic::inline v0
