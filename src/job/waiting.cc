#include "kinetic/waiting.h"

#include "kinetic/try.h"

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

  Result<EndedJob> Pop() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return next_ < ended_.size(); });
    auto& [index, outcome] = ended_[next_++];
    if (!outcome) return Failure(std::move(outcome).error());
    return EndedJob{index, *std::move(outcome)};
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::pair<std::size_t, Result<Outcome>>> ended_;
  std::size_t next_ = 0;
};

}  // namespace

std::future<Result<Outcome>> WaitAsync(const Job& job, std::stop_token stop) {
  auto promise = std::make_shared<std::promise<Result<Outcome>>>();
  auto future = promise->get_future();
  job.OnDone([promise](Result<Outcome> outcome) { promise->set_value(std::move(outcome)); },
             std::move(stop));
  return future;
}

Status WaitEach(std::span<const Job> jobs, const EndedJobSink& done, const std::stop_token& stop,
                OutcomeContent content) {
  const auto ended = std::make_shared<EndedJobs>();
  std::stop_source others;  // ends the other waits after an error
  const std::stop_callback forward(stop, [&] { others.request_stop(); });
  for (std::size_t index = 0; index < jobs.size(); ++index)
    jobs[index].OnDone(
        [ended, index](Result<Outcome> outcome) { ended->Push(index, std::move(outcome)); },
        others.get_token(), content);
  const auto take = [&]() -> Status {
    KINETIC_ASSIGN_OR_RETURN(EndedJob next, ended->Pop());
    return done(std::move(next));
  };
  for (std::size_t count = 0; count < jobs.size(); ++count) {
    Status taken = take();
    if (taken) continue;
    others.request_stop();
    return taken;
  }
  return {};
}

Result<EndedJob> WaitAny(std::span<const Job> jobs, const std::stop_token& stop,
                         OutcomeContent content) {
  if (jobs.empty())
    return Fail(ErrorCode::kInvalidArgument, "waiting for any of several jobs: there are no jobs");
  std::optional<EndedJob> first;
  const Status status = WaitEach(
      jobs,
      [&](EndedJob ended) -> Status {
        first = std::move(ended);
        return Fail(ErrorCode::kAborted, "one job has ended");
      },
      stop, content);
  if (first) return *std::move(first);
  return Failure(status.error());
}

Result<std::vector<Outcome>> WaitAll(std::span<const Job> jobs, const std::stop_token& stop,
                                     OutcomeContent content) {
  std::vector<Outcome> outcomes(jobs.size());
  KINETIC_RETURN_IF_ERROR(WaitEach(
      jobs,
      [&](EndedJob ended) -> Status {
        outcomes[ended.index] = std::move(ended.outcome);
        return {};
      },
      stop, content));
  return outcomes;
}

}  // namespace kinetic::inline v0
