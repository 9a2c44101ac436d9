#pragma once

#include "kinetic/job.h"

#include <functional>
#include <string>
#include <type_traits>
#include <utility>

namespace kinetic::inline v0 {

/// The parts of JobOf that do not depend on the type.
namespace job_of {

/// Waits for a job that must succeed.
///
/// @return  its value with its arrays; null for OutcomeContent::kState.
KINETIC_EXPORT Result<Value> AwaitValue(const Job& job, const WaitOptions& options);
/// Same, for a job that has ended.
KINETIC_EXPORT Result<Value> ReadValue(const Job& job, const Result<Outcome>& outcome,
                                       const WaitOptions& options);

}  // namespace job_of

/// A job whose value is a T, such as Client::Submit returns for a C++ function:
///
///     KINETIC_ASSIGN_OR_RETURN(const JobOf<double> job, client.Submit(&Train, options, 3));
///     const Result<double> loss = job.Get();
///
/// For a Python function, `JobOf<double>(job)` states the type of the value.
///
/// @threads  safe to call concurrently.
template <typename T>
class JobOf {
 public:
  explicit JobOf(Job job) : job_(std::move(job)) {}

  const Job& job() const { return job_; }
  const std::string& id() const { return job_.id(); }

  /// Waits until the job ends and returns its value, with arrays of any size.
  ///
  /// @errors  those of Job::Wait, LoadStored and Value::As · that of ErrorOf: the job did not succeed.
  Result<T> Get(const WaitOptions& options = {}) const {
    return Convert(job_, job_of::AwaitValue(job_, WithContent(options)));
  }

  /// Calls `done` once when the job has ended, as Job::OnDone does. The thread that calls it reads the
  /// value's arrays from the store first.
  ///
  /// @errors  of the value: those of Get and Job::OnDone.
  void OnDone(std::function<void(Result<T> value)> done, const WaitOptions& options = {}) const {
    const WaitOptions wait = WithContent(options);
    job_.OnDone(
        [job = job_, done = std::move(done), wait](const Result<Outcome>& outcome) {
          done(Convert(job, job_of::ReadValue(job, outcome, wait)));
        },
        wait);
  }

 private:
  static WaitOptions WithContent(WaitOptions options) {
    options.content = std::is_void_v<T> ? OutcomeContent::kState : OutcomeContent::kAll;
    return options;
  }

  static Result<T> Convert(const Job& job, Result<Value> value) {
    if (!value) return Failure(std::move(value).error());
    if constexpr (std::is_void_v<T>) {
      return {};
    } else {
      return (*std::move(value)).template As<T>().map_error([&](Error error) {
        return std::move(error).Context("job " + job.id());
      });
    }
  }

  Job job_;
};

}  // namespace kinetic::inline v0
