#pragma once

#include "kinetic/result.h"
#include "kinetic/tasks.h"

#include "base/time/clock.h"
#include "record/job_key.h"
#include "record/outcome.h"
#include "record/task_range.h"
#include "store/object_store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// What a task leaves when it has ended: an empty object jobs/{id}/ended/{task}, whose metadata is its
/// summary, so that one listing of 1,000 names returns the states and the small values of 1,000 tasks.
/// The authoritative result is result.json of the task, which is written before.
namespace kinetic::record {

/// Longer values are not part of the metadata: Cloud Storage limits these to 8 KiB.
inline constexpr std::size_t kSummaryValueBytes = 2048;
/// Metrics whose JSON is longer are not part of it, either.
inline constexpr std::size_t kSummaryMetricsBytes = 1024;

/// Returns the summary of a task, whose index is in the ID of `stored.job`. Without a value if that is
/// longer than kSummaryValueBytes.
TaskSummary TaskSummaryOf(const StoredOutcome& stored);

/// Creates the object of a task from its result, or leaves an existing one as it is.
Status WriteEndedTask(store::Store& store, const StoredOutcome& stored, std::stop_token stop);

/// Calls `each` for the tasks of a job that have ended, in order, until it returns false. Ignores
/// objects of another job with the same ID, and damaged ones.
///
/// @param job    its nonce may be empty: unknown.
/// @param first  the first task that is listed.
Status ListEndedTasks(store::Store& store, const JobKey& job, std::uint32_t first,
                      const std::function<Result<bool>(const TaskSummary&)>& each,
                      std::stop_token stop);

/// Same for a range of tasks, with concurrent requests for 1,000 of them each.
Status ListEndedTasks(store::Store& store, const JobKey& job, TaskRange tasks,
                      const std::function<Result<bool>(const TaskSummary&)>& each,
                      std::stop_token stop);

}  // namespace kinetic::record
