#include "runner/attempt/periodic_tasks.h"

#include "runner/diagnostics.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::chrono::seconds kPause{3};
constexpr std::chrono::seconds kPauseAfterFailure{30};
/// A task runs for at most a twentieth of the time.
constexpr int kShare = 20;

}  // namespace

PeriodicTasks::PeriodicTasks(Clock& clock, std::vector<Task> tasks)
    : clock_(clock), waiter_(clock) {
  for (auto& task : tasks) tasks_.push_back({std::move(task), clock.Steady() + kPause});
  thread_ = std::jthread([this](const std::stop_token& stop) { Work(stop); });
}

PeriodicTasks::~PeriodicTasks() = default;

void PeriodicTasks::Run(Scheduled& scheduled) {
  const SteadyTime begin = clock_.Steady();
  const Status done = scheduled.task.run();
  LogFailure(scheduled.task.name, done);
  const SteadyTime end = clock_.Steady();
  scheduled.next = end + std::max<SteadyTime::duration>(kPause, (end - begin) * kShare);
  if (!done) scheduled.next = end + kPauseAfterFailure;
}

void PeriodicTasks::Work(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { waiter_.Wake(); });
  while (!stop.stop_requested()) {
    const auto next = std::ranges::min_element(tasks_, {}, &Scheduled::next);
    const SteadyTime now = clock_.Steady();
    if (next->next <= now) {
      Run(*next);
    } else {
      waiter_.Wait(std::chrono::ceil<std::chrono::milliseconds>(next->next - now));
    }
  }
}

}  // namespace kinetic::runner
