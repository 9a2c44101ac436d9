#include "provision/tasks.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace kinetic::provision {
namespace {

enum class Phase : std::uint8_t { kWaiting, kRunning, kDone, kFailed };

class Runner {
 public:
  Runner(const std::vector<Task>& tasks, std::stop_token stop)
      : tasks_(tasks), stop_(std::move(stop)), phases_(tasks.size(), Phase::kWaiting) {}

  void Work() {
    for (auto index = Next(); index; index = Next()) Finish(*index, tasks_[*index].run(stop_));
  }

  Status result() const { return result_; }

 private:
  /// Waits for a task that can run. Returns nullopt if there will be none.
  std::optional<std::size_t> Next() {
    std::unique_lock lock(mutex_);
    for (;;) {
      SkipAfterFailures();
      if (const auto ready = FindReady()) {
        phases_[*ready] = Phase::kRunning;
        return ready;
      }
      if (std::ranges::count(phases_, Phase::kRunning) == 0) return std::nullopt;
      changed_.wait(lock);
    }
  }

  bool AnyBefore(std::size_t index, Phase phase) const {
    return std::ranges::any_of(tasks_[index].after,
                               [&](std::size_t before) { return phases_[before] == phase; });
  }

  void SkipAfterFailures() {
    for (bool again = true; again;) {
      again = false;
      for (std::size_t index = 0; index < tasks_.size(); ++index) {
        if (phases_[index] != Phase::kWaiting || !AnyBefore(index, Phase::kFailed)) continue;
        phases_[index] = Phase::kFailed;
        again = true;
      }
    }
  }

  std::optional<std::size_t> FindReady() const {
    for (std::size_t index = 0; index < tasks_.size(); ++index) {
      const bool waits = AnyBefore(index, Phase::kWaiting) || AnyBefore(index, Phase::kRunning);
      if (phases_[index] == Phase::kWaiting && !waits) return index;
    }
    return std::nullopt;
  }

  void Finish(std::size_t index, Status status) {
    const std::lock_guard lock(mutex_);
    phases_[index] = status ? Phase::kDone : Phase::kFailed;
    if (!status && result_) result_ = std::move(status);
    changed_.notify_all();
  }

  const std::vector<Task>& tasks_;
  std::stop_token stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Phase> phases_;
  Status result_;
};

}  // namespace

Status RunTasks(const std::vector<Task>& tasks, std::size_t threads, std::stop_token stop) {
  Runner runner(tasks, std::move(stop));
  {
    std::vector<std::jthread> workers;
    const std::size_t count = std::min(threads, tasks.size());
    workers.reserve(count);
    for (std::size_t i = 0; i < count; ++i) workers.emplace_back([&runner] { runner.Work(); });
  }
  return runner.result();
}

}  // namespace kinetic::provision
