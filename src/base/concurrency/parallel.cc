#include "base/concurrency/parallel.h"

#include "kinetic/try.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

namespace kinetic {
namespace {

/// Returns false if the system has too many threads.
template <typename Run>
bool TryStart(std::vector<std::jthread>& threads, const Run& run) {
  try {
    threads.emplace_back([&run] { run(); });
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

}  // namespace

Status ParallelFor(std::size_t threads, std::size_t count, std::stop_token stop,
                   const std::function<Status(std::size_t, std::stop_token)>& work) {
  std::stop_source failed;
  const std::stop_callback forward(stop, [&] { failed.request_stop(); });
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::optional<Error> first;

  const auto run = [&] {
    while (!failed.stop_requested()) {
      const std::size_t index = next.fetch_add(1);
      if (index >= count) return;
      if (auto done = work(index, failed.get_token()); !done) {
        const std::lock_guard lock(mutex);
        if (!first) first = std::move(done).error();
        failed.request_stop();
      }
    }
  };

  {
    std::vector<std::jthread> helpers;
    helpers.reserve(std::min(threads, count));
    for (std::size_t i = 1; i < std::min(threads, count); ++i) {
      if (!TryStart(helpers, run)) break;
    }
    run();
  }
  if (first) return Failure(*std::move(first));
  if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
  return {};
}

std::size_t ProcessorCount() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) {
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace kinetic
