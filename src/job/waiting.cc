#include "kinetic/waiting.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "job/call_until.h"
#include "job/lifecycle/completions.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace kinetic::inline v0 {
namespace {

/// The jobs that have ended, in this order. Shared with the callbacks, which may come later than the
/// end of the wait.
class EndedJobs {
 public:
  void Push(std::size_t index, Result<Outcome> outcome) {
    const std::lock_guard lock(mutex_);
    ended_.emplace_back(index, std::move(outcome));
    changed_.notify_one();
  }

  /// @errors  kCancelled (stop) · that of the next wait that ended.
  Result<EndedJob> Pop(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [&] { return next_ < ended_.size(); }))
      return Fail(ErrorCode::kCancelled, "waiting for jobs: cancelled; the jobs continue");
    auto& [index, outcome] = ended_[next_++];
    if (!outcome) return Failure(std::move(outcome).error());
    return EndedJob{index, *std::move(outcome)};
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<std::pair<std::size_t, Result<Outcome>>> ended_;
  std::size_t next_ = 0;
};

/// Stops the other waits at the end of a wait for some of the jobs.
class OtherWaits {
 public:
  OtherWaits() = default;
  ~OtherWaits() { source_.request_stop(); }
  OtherWaits(const OtherWaits&) = delete;
  OtherWaits& operator=(const OtherWaits&) = delete;

  std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
};

/// Checks that the calling thread is not the one that observes jobs.
Status CheckMayWait() {
  if (!job::Completions::IsInCallback()) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              "cannot wait for jobs in a callback: it runs on the thread that observes them",
              "use Job::OnDone, or wait on another thread");
}

}  // namespace

std::future<Result<Outcome>> WaitAsync(const Job& job, const WaitOptions& options) {
  auto promise = std::make_shared<std::promise<Result<Outcome>>>();
  auto future = promise->get_future();
  job.OnDone([promise](Result<Outcome> outcome) { promise->set_value(std::move(outcome)); },
             options);
  return future;
}

Status WaitEach(std::span<const Job> jobs, const EndedJobSink& done, const WaitOptions& options) {
  if (!done) return Fail(ErrorCode::kInvalidArgument, "waiting for jobs: there is no callback");
  KINETIC_RETURN_IF_ERROR(CheckMayWait());
  const auto ended = std::make_shared<EndedJobs>();
  const OtherWaits others;
  for (std::size_t index = 0; index < jobs.size(); ++index)
    jobs[index].OnDone(
        [ended, index](Result<Outcome> outcome) { ended->Push(index, std::move(outcome)); },
        {.stop = others.token(), .content = options.content});
  return job::CallUntil(options.deadline, options.stop, "waiting for jobs",
                        [&](const std::stop_token& stop) -> Status {
                          for (std::size_t count = 0; count < jobs.size(); ++count) {
                            KINETIC_ASSIGN_OR_RETURN(EndedJob next, ended->Pop(stop));
                            KINETIC_RETURN_IF_ERROR(done(std::move(next)));
                          }
                          return {};
                        });
}

Result<EndedJob> WaitAny(std::span<const Job> jobs, const WaitOptions& options) {
  if (jobs.empty())
    return Fail(ErrorCode::kInvalidArgument, "waiting for any of several jobs: there are no jobs");
  std::optional<EndedJob> first;
  const Status status = WaitEach(
      jobs,
      [&](EndedJob ended) -> Status {
        first = std::move(ended);
        return Fail(ErrorCode::kAborted, "one job has ended");
      },
      options);
  if (first) return *std::move(first);
  return Failure(status.error());
}

Result<std::vector<Outcome>> WaitAll(std::span<const Job> jobs, const WaitOptions& options) {
  std::vector<Outcome> outcomes(jobs.size());
  KINETIC_RETURN_IF_ERROR(WaitEach(
      jobs,
      [&](EndedJob ended) -> Status {
        outcomes[ended.index] = std::move(ended.outcome);
        return {};
      },
      options));
  return outcomes;
}

Status CancelAll(std::span<const Job> jobs, const StopOptions& options) {
  constexpr std::size_t kMaxCancels = 16;
  std::vector<Status> cancelled(jobs.size());
  const auto cancel = [&](std::size_t i, const std::stop_token& stop) -> Status {
    cancelled[i] = jobs[i].Cancel({.stop = stop});
    return {};
  };
  return job::CallUntil(
      options.deadline, options.stop, "cancelling jobs", [&](const std::stop_token& stop) {
        const Status all = ParallelFor(kMaxCancels, jobs.size(), stop, cancel);
        const auto failed =
            std::ranges::find_if(cancelled, [](const Status& each) { return !each; });
        return all && failed != cancelled.end() ? *failed : all;
      });
}

}  // namespace kinetic::inline v0
