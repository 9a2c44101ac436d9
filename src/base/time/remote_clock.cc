#include "base/time/remote_clock.h"

namespace kinetic {
namespace {

/// Tolerated difference between steady and wall time since the reading.
constexpr std::chrono::seconds kDrift{5};

}  // namespace

void RemoteClock::Set(WallTime time, SteadyTime::duration ago) {
  const std::lock_guard lock(mutex_);
  last_ = Reading{time, clock_.Steady() - ago,
                  clock_.Now() - std::chrono::duration_cast<WallTime::duration>(ago)};
}

void RemoteClock::Advance(WallTime time) {
  const std::lock_guard lock(mutex_);
  if (const auto known = Estimate(); known && *known >= time) return;
  last_ = Reading{time, clock_.Steady(), clock_.Now()};
}

std::optional<WallTime> RemoteClock::Now() const {
  const std::lock_guard lock(mutex_);
  return Estimate();
}

std::optional<WallTime> RemoteClock::Estimate() const {
  const SteadyTime now = clock_.Steady();
  const WallTime here = clock_.Now();
  if (!last_) return std::nullopt;
  const auto passed = std::chrono::duration_cast<WallTime::duration>(now - last_->when);
  // While a machine sleeps, its steady clock stops and its wall clock does not.
  if (std::chrono::abs(here - last_->here - passed) > kDrift) return std::nullopt;
  return last_->time + passed;
}

}  // namespace kinetic
