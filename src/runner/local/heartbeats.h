#pragma once

#include "base/concurrency/waiter.h"
#include "base/time/clock.h"
#include "record/heartbeat.h"
#include "store/object_store.h"

#include <stop_token>
#include <thread>

namespace kinetic::runner {

/// Tells the store on its own thread that the supervisor of a job is alive. Failures are ignored: a
/// store that is unavailable is unavailable to those who would look.
class Heartbeats {
 public:
  Heartbeats(store::Store& store, Clock& clock, record::Heartbeat heartbeat);
  ~Heartbeats();
  Heartbeats(const Heartbeats&) = delete;
  Heartbeats& operator=(const Heartbeats&) = delete;

 private:
  void Work(const std::stop_token& stop);

  store::Store& store_;
  Clock& clock_;
  const record::Heartbeat heartbeat_;
  Waiter waiter_;
  std::jthread thread_;  ///< last: it uses all other members
};

}  // namespace kinetic::runner
