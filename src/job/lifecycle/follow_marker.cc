#include "job/lifecycle/logs.h"
#include "record/object_names.h"

#include <chrono>

namespace kinetic::job {
namespace {

constexpr std::chrono::seconds kRenewInterval{10};

}  // namespace

FollowMarker::FollowMarker(store::Store& store, Clock& clock, std::string_view id)
    : store_(store), clock_(clock), name_(record::FollowMarkerName(id)) {}

void FollowMarker::Renew(const std::stop_token& stop) {
  const SteadyTime now = clock_.Steady();
  if (renewed_ && now - *renewed_ < kRenewInterval) return;
  renewed_ = now;
  const auto touched = store_.Touch(name_, {}, stop);
  if (!touched || *touched) return;
  (void)store::PutBytes(store_, name_, {}, store::Precondition::Absent(), stop);
}

}  // namespace kinetic::job
