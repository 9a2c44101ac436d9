#pragma once

#include "base/time/remote_clock.h"
#include "http/transport.h"

#include <optional>

namespace kinetic::http {

/// A transport that reads the server's time from the Date header of responses, any of which may be
/// wrong. Safe to call concurrently.
class ServerClock final : public Transport {
 public:
  /// Both must outlive the object.
  ServerClock(Transport& inner, Clock& clock) : inner_(&inner), date_(clock) {}

  Result<Response> Stream(const Request& request, const Sink& sink, std::stop_token stop) override;

  /// Returns the server's time to about a second. Returns nullopt before the first Date header, and
  /// after this machine slept or its clock was set, until the next response.
  std::optional<WallTime> Now() const { return date_.Now(); }

 private:
  Transport* inner_;
  RemoteClock date_;
};

}  // namespace kinetic::http
