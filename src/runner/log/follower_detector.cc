#include "runner/log/follower_detector.h"

#include "record/object_names.h"

namespace kinetic::runner {
namespace {

/// The first upload is not earlier for a follower, and a short job needs no other.
constexpr std::chrono::seconds kFirstPoll{2};
constexpr std::chrono::seconds kFollowPoll{10};
/// Clients renew every ten seconds; two renewals may be late.
constexpr std::chrono::seconds kFollowerTimeout{30};

}  // namespace

FollowerDetector::FollowerDetector(store::Store& store, Clock& clock, std::string_view id)
    : store_(store),
      clock_(clock),
      name_(record::FollowMarkerName(id)),
      next_poll_(clock.Steady() + kFirstPoll) {}

bool FollowerDetector::IsFollowed(std::stop_token stop) {
  const SteadyTime now = clock_.Steady();
  if (now >= next_poll_) {
    next_poll_ = now + kFollowPoll;
    const auto info = store_.Stat(name_, std::move(stop));
    if (info && *info) {
      const std::pair found((*info)->generation, (*info)->metageneration);
      if (found != last_) seen_ = now;
      last_ = found;
    }
  }
  return seen_ && now - *seen_ < kFollowerTimeout;
}

}  // namespace kinetic::runner
