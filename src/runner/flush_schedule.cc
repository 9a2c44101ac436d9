#include "runner/flush_schedule.h"

#include <algorithm>

namespace kinetic::runner {

void FlushSchedule::Grown(std::uint64_t unstored_bytes, SteadyTime now) {
  bytes_ = unstored_bytes;
  if (!oldest_) oldest_ = now;
}

void FlushSchedule::Flushed(SteadyTime now) {
  oldest_.reset();
  bytes_ = 0;
  flushed_ = now;
  interval_ = std::min(2 * interval_, kUnfollowedFlush);
}

std::optional<SteadyTime> FlushSchedule::Due(bool followed) const {
  if (!oldest_) return std::nullopt;
  SteadyTime due = *oldest_;
  if (bytes_ < kFlushBytes) due += followed ? kFollowedFlush : interval_;
  return flushed_ ? std::max(due, *flushed_ + kFlushPause) : due;
}

}  // namespace kinetic::runner
