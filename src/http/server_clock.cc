#include "http/server_clock.h"

#include "http/date.h"

#include <utility>

namespace kinetic::http {

Result<Response> ServerClock::Stream(const Request& request, const Sink& sink,
                                     std::stop_token stop) {
  auto response = inner_->Stream(request, sink, std::move(stop));
  if (!response) return response;
  const auto date = ParseHttpDate(response->headers.Get("date").value_or(""));
  // The Date was written with the head: what a long body took is no part of it.
  const SteadyTime when = clock_->Steady() - (response->timing.total - response->timing.first_byte);
  const std::lock_guard lock(mutex_);
  if (date && (!last_ || when >= last_->when)) last_ = Reading{*date, when};
  return response;
}

std::optional<WallTime> ServerClock::Now() const {
  const SteadyTime now = clock_->Steady();
  const std::lock_guard lock(mutex_);
  if (!last_) return std::nullopt;
  return last_->date + std::chrono::duration_cast<WallTime::duration>(now - last_->when);
}

}  // namespace kinetic::http
