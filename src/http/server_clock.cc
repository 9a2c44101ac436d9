#include "http/server_clock.h"

#include "http/headers.h"

#include <utility>

namespace kinetic::http {
namespace {

/// Tolerated difference between steady and wall time since the last response.
constexpr std::chrono::seconds kDrift{5};

}  // namespace

Result<Response> ServerClock::Stream(const Request& request, const Sink& sink,
                                     std::stop_token stop) {
  auto response = inner_->Stream(request, sink, std::move(stop));
  if (!response) return response;
  const auto date = ParseHttpDate(response->headers.Get("date").value_or(""));
  // The Date was written with the head, before the body.
  const auto body = response->timing.total - response->timing.first_byte;
  const std::lock_guard lock(mutex_);
  if (date) last_ = Reading{*date, clock_->Steady() - body, clock_->Now() - body};
  return response;
}

std::optional<WallTime> ServerClock::Now() const {
  const SteadyTime now = clock_->Steady();
  const WallTime here = clock_->Now();
  const std::lock_guard lock(mutex_);
  if (!last_) return std::nullopt;
  const auto passed = std::chrono::duration_cast<WallTime::duration>(now - last_->when);
  // While a machine sleeps, its steady clock stops and its wall clock does not.
  if (std::chrono::abs(here - last_->here - passed) > kDrift) return std::nullopt;
  return last_->date + passed;
}

}  // namespace kinetic::http
