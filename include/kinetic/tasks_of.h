#pragma once

#include "kinetic/tasks.h"

#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace kinetic::inline v0 {

/// The parts of TasksOf that do not depend on the type.
namespace tasks_of {

/// Returns the error of a task that the job skipped.
KINETIC_EXPORT Failure NotRun(const Job& job, std::uint32_t task);

}  // namespace tasks_of

/// An array whose tasks return a T each, such as Client::Map returns:
///
///     const std::vector<double> rates{0.1, 0.01, 0.001};
///     KINETIC_ASSIGN_OR_RETURN(const auto losses, client.Map(&Train, rates));
///     KINETIC_ASSIGN_OR_RETURN(const std::vector<Result<double>> values, losses.Get());
///
/// For a Python function, `TasksOf<double>(job)` states the type of the values.
///
/// @threads  safe to call concurrently.
template <typename T>
class TasksOf {
 public:
  explicit TasksOf(Job job) : job_(std::move(job)) {}

  const Job& job() const { return job_; }
  const std::string& id() const { return job_.id(); }
  Tasks tasks() const { return Tasks(job_); }

  /// Waits until the job ends and returns the values of all tasks by index. A task that did not
  /// succeed has the error of ErrorOf, and one that did not run kCancelled.
  ///
  /// @errors  those of Tasks::Each.
  Result<std::vector<Result<T>>> Get(const WaitOptions& options = {}) const {
    const Result<TaskCounts> counts = tasks().Counts(options.stop);
    if (!counts) return Failure(counts.error());
    std::vector<Result<T>> values;
    values.reserve(counts->tasks);
    for (std::uint32_t task = 0; task < counts->tasks; ++task)
      values.emplace_back(tasks_of::NotRun(job_, task));
    const auto keep = [&](std::uint32_t task, Result<T> value) -> Status {
      if (task < values.size()) values[task] = std::move(value);
      return {};
    };
    if (const Status all = Each(keep, options); !all) return Failure(all.error());
    return values;
  }

  /// Calls `ended` once for each task, on the calling thread, as the tasks end, with its index and
  /// its value, or the error of ErrorOf.
  ///
  /// @errors  those of Tasks::Each.
  Status Each(const std::function<Status(std::uint32_t task, Result<T> value)>& ended,
              const WaitOptions& options = {}) const {
    constexpr auto kContent = std::is_void_v<T> ? OutcomeContent::kState : OutcomeContent::kAll;
    const Tasks all = tasks();
    return all.Each(
        [&](const TaskSummary& task) {
          return ended(task.task, Convert(task, all.ReadValue(task, options.stop, kContent)));
        },
        options);
  }

 private:
  Result<T> Convert(const TaskSummary& task, Result<Value> value) const {
    if (!value) return Failure(std::move(value).error());
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return (*std::move(value)).template As<T>().map_error([&](Error error) {
        return std::move(error).Context("job " + id() + " task " + std::to_string(task.task));
      });
    }
  }

  Job job_;
};

}  // namespace kinetic::inline v0
