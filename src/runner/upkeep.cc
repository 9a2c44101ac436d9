#include "runner/upkeep.h"

#include "runner/diagnostics.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::runner {
namespace {

constexpr std::chrono::seconds kPause{3};
constexpr std::chrono::seconds kPauseAfterFailure{30};
/// Looking takes at most a twentieth of the time.
constexpr int kShare = 20;

}  // namespace

Upkeep::Upkeep(Clock& clock, std::vector<Chore> chores) : clock_(clock), alarm_(clock) {
  for (auto& chore : chores) chores_.push_back({std::move(chore), clock.Steady() + kPause});
  thread_ = std::jthread([this](const std::stop_token& stop) { Work(stop); });
}

Upkeep::~Upkeep() = default;

void Upkeep::Do(Planned& planned) {
  const SteadyTime begin = clock_.Steady();
  const Status looked = planned.chore.look();
  DiagnoseError(planned.chore.name, looked);
  const SteadyTime end = clock_.Steady();
  planned.next = end + std::max<SteadyTime::duration>(kPause, (end - begin) * kShare);
  if (!looked) planned.next = end + kPauseAfterFailure;
}

void Upkeep::Work(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { alarm_.Ring(); });
  while (!stop.stop_requested()) {
    const auto next = std::ranges::min_element(chores_, {}, &Planned::next);
    const SteadyTime now = clock_.Steady();
    if (next->next <= now) {
      Do(*next);
    } else {
      alarm_.Wait(std::chrono::ceil<std::chrono::milliseconds>(next->next - now));
    }
  }
}

}  // namespace kinetic::runner
