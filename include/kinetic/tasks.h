#pragma once

#include "kinetic/export.h"
#include "kinetic/job.h"
#include "kinetic/job_spec.h"
#include "kinetic/metrics.h"
#include "kinetic/outcome.h"
#include "kinetic/result.h"
#include "kinetic/task_counts.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::inline v0 {

/// The main properties of a task that has ended.
struct TaskSummary {
  std::uint32_t task = 0;  ///< its index
  JobState state = JobState::kSucceeded;
  std::uint32_t attempt = 1;
  int exit_code = 0;
  std::string reason;  ///< of a failure: "ValueError: no data"
  std::optional<std::chrono::system_clock::time_point> started;
  std::optional<std::chrono::system_clock::time_point> finished;
  /// The value of a task that succeeded, if it has at most 2 KiB of JSON; null if it returned none.
  /// Absent: a longer one, which Tasks::ReadValue reads.
  std::optional<Value> value;
  std::chrono::milliseconds node_time{};  ///< as in JobSummary
  Metrics metrics = {};  ///< the last number of each name, as many as fit into 1 KiB of JSON
};

/// What the ID of a task says: "sweep-7/tasks/000003" is that of task 3 of the job "sweep-7".
struct TaskReference {
  std::string job;
  std::uint32_t task = 0;
};

/// Returns nullopt for the ID of a job.
KINETIC_EXPORT std::optional<TaskReference> FindTaskReference(std::string_view id);

/// The tasks of an array (JobSpec::array), by index from 0. A view of its job: `Tasks(job).Counts()`.
/// The functions of the job are about the array as a whole, which has no log and no value of its own.
///
/// @errors   of every function: kInvalidArgument: the job is no array · those of the store and the
///           target, as in Client.
/// @threads  safe to call concurrently.
class KINETIC_EXPORT Tasks {
 public:
  explicit Tasks(Job job) : job_(std::move(job)) {}

  /// Returns how many tasks are in which state. One request for 1,000 ended tasks.
  Result<TaskCounts> Counts(std::stop_token stop = {}) const;

  /// Returns a handle of one task, whose functions are those of a job: Wait, Collect, Logs, Outputs,
  /// Explain, Cancel. Its ID is "{job}/tasks/{index, 6 digits}". Usually sends no request.
  ///
  /// @errors  also kInvalidArgument: the index is out of range · kNotFound: the job was removed.
  Result<Job> At(std::uint32_t task, std::stop_token stop = {}) const;

  /// Calls `each` for the tasks that have ended, by index, until it returns false. One request for
  /// 1,000 tasks.
  ///
  /// @param first  the first task that is listed.
  /// @errors       also those of `each`.
  Status ListEnded(const std::function<Result<bool>(const TaskSummary&)>& each,
                   std::uint32_t first = 0, std::stop_token stop = {}) const;

  /// Returns the arguments of all tasks, by index. Two requests.
  ///
  /// @errors  also kNotFound: the job was removed · kDataLoss: the arguments are damaged.
  Result<std::vector<Arguments>> ListArguments(std::stop_token stop = {}) const;

  /// Returns the value of a task that has ended, with its arrays. Sends no request for a small value
  /// without arrays.
  ///
  /// @param ended    as reported by ListEnded or Each.
  /// @param content  kState: return null for a task that succeeded.
  /// @errors         also that of ErrorOf: the task did not succeed · those of LoadStored.
  Result<Value> ReadValue(const TaskSummary& ended, std::stop_token stop = {},
                          OutcomeContent content = OutcomeContent::kAll) const;

  /// Calls `ended` once for each task, on the calling thread, as the tasks end. Returns when the job
  /// ends. Skipped tasks are not reported.
  ///
  /// @errors  also those of `ended` · kCancelled · kDeadlineExceeded.
  Status Each(const std::function<Status(const TaskSummary&)>& ended,
              const WaitOptions& options = {}) const;

 private:
  Job job_;
};

}  // namespace kinetic::inline v0
