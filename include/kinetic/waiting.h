#pragma once

#include "kinetic/job.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <future>
#include <span>
#include <stop_token>
#include <vector>

namespace kinetic::inline v0 {

/// Waits for a job without blocking. Getting the future's value, or its wait_for, blocks.
///
/// @param  stop  ends the wait with kCancelled; the job continues.
/// @errors of the future: those of Job::OnDone.
KINETIC_EXPORT std::future<Result<Outcome>> WaitAsync(const Job& job, std::stop_token stop = {});

/// Waits for a job until a point in time. The job continues.
///
/// @errors  kDeadlineExceeded: the job is not finished · those of WaitAll.
KINETIC_EXPORT Result<Outcome> WaitUntil(const Job& job,
                                         std::chrono::steady_clock::time_point deadline,
                                         std::stop_token stop = {});

/// A job that has ended.
struct EndedJob {
  std::size_t index;  ///< in the list of jobs
  Outcome outcome;
};

/// Waits until one of the jobs has ended, and returns the first.
///
/// @errors  kInvalidArgument (no jobs) · those of WaitAll.
KINETIC_EXPORT Result<EndedJob> WaitAny(std::span<const Job> jobs, std::stop_token stop = {},
                                        OutcomeContent content = OutcomeContent::kAll);

/// Waits until all jobs have ended. Returns the outcomes in the order of the jobs. A job that failed
/// has an outcome, which is no error.
///
/// @errors  those of Job::OnDone, for any of the jobs · kFailedPrecondition: called by a callback of
///          OnDone, of any client.
KINETIC_EXPORT Result<std::vector<Outcome>> WaitAll(std::span<const Job> jobs,
                                                    std::stop_token stop = {},
                                                    OutcomeContent content = OutcomeContent::kAll);

/// Receives a job that has ended. An error stops the waiting and is returned.
using EndedJobSink = std::function<Status(EndedJob ended)>;

/// Waits for all jobs, and calls `done` on the calling thread for each job as it ends.
///
/// @errors  those of `done` and of WaitAll.
KINETIC_EXPORT Status WaitEach(std::span<const Job> jobs, const EndedJobSink& done,
                               std::stop_token stop = {},
                               OutcomeContent content = OutcomeContent::kAll);

/// Cancels jobs, up to 16 at the same time, and returns when none of their processes is running.
///
/// @errors  those of Job::Cancel, of the first of the jobs that could not be cancelled.
KINETIC_EXPORT Status CancelAll(std::span<const Job> jobs, std::stop_token stop = {});

}  // namespace kinetic::inline v0
