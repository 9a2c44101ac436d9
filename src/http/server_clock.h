#pragma once

#include "base/time/clock.h"
#include "http/transport.h"

#include <mutex>
#include <optional>

namespace kinetic::http {

/// A transport that reads the server's time from the Date header of responses. Leases shared by
/// several machines need one clock. Safe to call concurrently.
class ServerClock final : public Transport {
 public:
  /// Both must outlive the object.
  ServerClock(Transport& inner, Clock& clock) : inner_(&inner), clock_(&clock) {}

  Result<Response> Stream(const Request& request, const Sink& sink, std::stop_token stop) override;

  /// Returns the server's time to about a second. Returns nullopt before the first Date header, and
  /// after this machine slept or its clock was set, until the next response.
  std::optional<WallTime> Now() const;

 private:
  struct Reading {
    WallTime date;    ///< the server's
    SteadyTime when;  ///< steady time when the Date was written
    WallTime here;    ///< wall time when the Date was written
  };

  Transport* inner_;
  Clock* clock_;
  mutable std::mutex mutex_;
  std::optional<Reading> last_;
};

}  // namespace kinetic::http
