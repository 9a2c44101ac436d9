#pragma once

#include "base/clock.h"
#include "http/transport.h"

#include <mutex>
#include <optional>

namespace kinetic::http {

/// A transport that learns a server's time from the Date of its answers, whatever this machine's
/// date is: leases that many machines measure need one clock.
///
/// @threads  safe to call concurrently.
class ServerClock final : public Transport {
 public:
  /// Both outlive it.
  ServerClock(Transport& inner, Clock& clock) : inner_(&inner), clock_(&clock) {}

  Result<Response> Stream(const Request& request, const Sink& sink, std::stop_token stop) override;

  /// The server's time, to a second or so; nothing before its first answer with a Date, and when
  /// this machine slept since, or its date was set: then the next answer tells.
  std::optional<WallTime> Now() const;

 private:
  struct Reading {
    WallTime date;    ///< the server's
    SteadyTime when;  ///< here, when it was written
    WallTime here;    ///< by this machine's date
  };

  Transport* inner_;
  Clock* clock_;
  mutable std::mutex mutex_;
  std::optional<Reading> last_;
};

}  // namespace kinetic::http
