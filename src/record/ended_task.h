#pragma once

#include "kinetic/job.h"
#include "kinetic/outcome.h"
#include "kinetic/result.h"

#include "base/time/clock.h"
#include "record/job_key.h"
#include "record/outcome.h"
#include "store/object_store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// What a task leaves when it has ended: an empty object jobs/{id}/ended/{task}, whose metadata is its
/// summary, so that one listing of 1,000 names returns the states and the small values of 1,000 tasks.
/// result.json of the task, which is written before, is what counts.
namespace kinetic::record {

/// Longer values are not part of the metadata: Cloud Storage limits these to 8 KiB.
inline constexpr std::size_t kSummaryValueBytes = 2048;

/// The summary of a task that has ended.
struct EndedTask {
  std::uint32_t task = 0;
  JobState state = JobState::kSucceeded;
  std::uint32_t attempt = 1;
  int exit_code = 0;
  std::string reason;
  std::optional<WallTime> started;
  std::optional<WallTime> finished;
  /// JSON, up to kSummaryValueBytes; "null" if there is none. Absent: longer, or the task failed.
  std::optional<std::string> value;
};

/// Returns the summary of a task's outcome. Its `task` is that of the ID.
EndedTask EndedTaskOf(std::string_view task_id, const Outcome& outcome);
/// Same, for a stored outcome, which tells whether the task has no value or a long one.
EndedTask EndedTaskOf(std::string_view task_id, const StoredOutcome& stored);

/// Creates the object of a task, or leaves an existing one as it is.
///
/// @param key  of the task.
Status WriteEndedTask(store::Store& store, const JobKey& key, const EndedTask& task,
                      std::stop_token stop);

/// Calls `each` for the tasks of a job that have ended, in order, until it returns false. Ignores
/// objects of another job with the same ID, and damaged ones.
///
/// @param job    its nonce may be empty: unknown.
/// @param first  the first task that is listed.
Status ListEndedTasks(store::Store& store, const JobKey& job, std::uint32_t first,
                      const std::function<Result<bool>(const EndedTask&)>& each,
                      std::stop_token stop);

}  // namespace kinetic::record
