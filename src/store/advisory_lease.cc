#include "store/advisory_lease.h"

#include "kinetic/try.h"

#include <optional>
#include <utility>

namespace kinetic::store {
namespace {

constexpr std::string_view kHolder = "holder";

/// The lease of another client, as observed by a client that waits for it.
class ObservedLease {
 public:
  ObservedLease(Store& store, Clock& clock, const AdvisoryLease::Client& client,
                std::chrono::milliseconds expiry)
      : store_(store), clock_(clock), client_(client), expiry_(expiry) {}

  /// Returns whether the lease is free. Removes it if its holder is dead.
  Result<bool> IsFree(const std::string& name, const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const auto object, store_.Stat(name, stop));
    if (!object) return true;
    const bool renewed = !seen_ || seen_->generation != object->generation ||
                         seen_->metageneration != object->metageneration;
    if (renewed) {
      seen_ = object;
      since_ = clock_.Steady();
    }
    if (!HolderIsDead(*seen_) && clock_.Steady() - since_ < expiry_) return false;
    KINETIC_RETURN_IF_ERROR(store_.RemoveIfUnchanged(*seen_, stop));
    return true;
  }

 private:
  bool HolderIsDead(const ObjectInfo& object) const {
    const auto holder = object.metadata.find(std::string(kHolder));
    return client_.is_dead && holder != object.metadata.end() && client_.is_dead(holder->second);
  }

  Store& store_;
  Clock& clock_;
  const AdvisoryLease::Client& client_;
  const std::chrono::milliseconds expiry_;
  std::optional<ObjectInfo> seen_;
  SteadyTime since_;
};

}  // namespace

Result<std::unique_ptr<AdvisoryLease>> AdvisoryLease::Acquire(Store& store, Clock& clock,
                                                              std::string name,
                                                              const Client& client,
                                                              const Timing& timing,
                                                              std::stop_token stop) {
  ObservedLease other(store, clock, client, timing.expiry);
  for (bool waited = false;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto created,
                             PutBytes(store, name, {}, Precondition::Absent(), stop,
                                      {{std::string(kHolder), client.name}}));
    if (created) {
      return std::unique_ptr<AdvisoryLease>(new AdvisoryLease(
          store, clock, std::move(name), created->generation, timing.renew_interval));
    }
    if (!std::exchange(waited, true) && client.on_wait) client.on_wait();
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(const bool free, other.IsFree(name, stop));
      if (free) break;
      KINETIC_RETURN_IF_ERROR(clock.Sleep(timing.poll_interval, stop));
    }
  }
}

AdvisoryLease::AdvisoryLease(Store& store, Clock& clock, std::string name, std::int64_t generation,
                             std::chrono::milliseconds renew_interval)
    : store_(store),
      clock_(clock),
      name_(std::move(name)),
      generation_(generation),
      renew_interval_(renew_interval),
      renewer_([this](const std::stop_token& stop) { Renew(stop); }) {}

AdvisoryLease::~AdvisoryLease() {
  renewer_.request_stop();
  renewer_.join();
  // A renewal that was interrupted may still have taken effect, so read the state again.
  const auto object = store_.Stat(name_, {});
  if (!object || !*object || (*object)->generation != generation_) return;
  (void)store_.RemoveIfUnchanged(**object, {});
}

/// A failed renewal is repeated at the next interval.
void AdvisoryLease::Renew(const std::stop_token& stop) {
  while (clock_.Sleep(renew_interval_, stop)) {
    const auto touched = store_.Touch(name_, {.lease = {}, .generation = generation_}, stop);
    if (touched && !*touched) return;  // another client has taken over the lease
  }
}

}  // namespace kinetic::store
