#include "runner/local/supervisor.h"

#include <chrono>
#include <utility>

namespace kinetic::runner {

Heartbeats::Heartbeats(store::Store& store, Clock& clock, record::Heartbeat heartbeat)
    : store_(store),
      clock_(clock),
      heartbeat_(std::move(heartbeat)),
      waiter_(clock),
      thread_([this](const std::stop_token& stop) { Work(stop); }) {}

Heartbeats::~Heartbeats() = default;

void Heartbeats::Work(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] { waiter_.Wake(); });
  SteadyTime next = clock_.Steady() + record::kFirstHeartbeat;
  while (!stop.stop_requested()) {
    const SteadyTime now = clock_.Steady();
    if (now < next) {
      waiter_.Wait(std::chrono::ceil<std::chrono::milliseconds>(next - now));
      continue;
    }
    (void)record::WriteHeartbeat(store_, heartbeat_, stop);
    next = clock_.Steady() + record::kHeartbeatInterval;
  }
}

}  // namespace kinetic::runner
