#include "runner/follow_watch.h"

#include "record/layout.h"

namespace kinetic::runner {
namespace {

constexpr std::chrono::seconds kLook{10};
/// Three renewals.
constexpr std::chrono::seconds kPresent{30};

}  // namespace

FollowWatch::FollowWatch(store::Store& store, Clock& clock, std::string_view id)
    : store_(store), clock_(clock), name_(record::FollowingName(id)), next_look_(clock.Steady()) {}

bool FollowWatch::Look(std::stop_token stop) {
  const SteadyTime now = clock_.Steady();
  if (now >= next_look_) {
    next_look_ = now + kLook;
    const auto info = store_.Stat(name_, std::move(stop));
    if (info && *info) {
      const std::pair found((*info)->generation, (*info)->metageneration);
      if (found != last_) seen_ = now;
      last_ = found;
    }
  }
  return seen_ && now - *seen_ < kPresent;
}

}  // namespace kinetic::runner
