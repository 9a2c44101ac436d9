#include "http/server_clock.h"

#include "http/headers.h"

#include <utility>

namespace kinetic::http {

Result<Response> ServerClock::Stream(const Request& request, const Sink& sink,
                                     std::stop_token stop) {
  auto response = inner_->Stream(request, sink, std::move(stop));
  if (!response) return response;
  const auto date = ParseHttpDate(response->headers.Get("date").value_or(""));
  // The Date was written with the head, before the body.
  if (date) date_.Set(*date, response->timing.total - response->timing.first_byte);
  return response;
}

}  // namespace kinetic::http
