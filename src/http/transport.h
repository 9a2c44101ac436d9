#pragma once

#include "kinetic/result.h"

#include "base/clock.h"
#include "http/body.h"
#include "http/headers.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::http {

struct Response;

/// One request to be sent.
struct Request {
  std::string method = "GET";
  std::string url;  ///< http or https
  Headers headers;
  std::shared_ptr<Body> body;  ///< null: none
  std::chrono::milliseconds connect_timeout{10'000};
  /// The longest time in which no byte moves in either direction, waiting for the answer included;
  /// zero: for ever. There is no limit on the whole, so that a large transfer may take as long as
  /// it takes.
  std::chrono::milliseconds stall_timeout{60'000};
  /// Called when the head of a 2xx answer has come, before any piece goes to the sink: what a
  /// transfer that is cut later was about, and that a stream without news has begun. May be empty.
  std::function<void(const Response& head)> on_head;
  bool follow_redirects = false;  ///< credentials are not sent to another host
};

/// How a request went, for traces.
struct Timing {
  std::chrono::microseconds first_byte{0};  ///< from the start to the first byte of the answer
  std::chrono::microseconds total{0};
  std::uint64_t sent_bytes = 0;      ///< of the body
  std::uint64_t received_bytes = 0;  ///< of the body
  bool new_connection = false;
};

/// What came back. Any status is an answer, 500 too.
struct Response {
  int status = 0;
  Headers headers;
  std::string body;  ///< what did not go to a sink: of any but a 2xx, at most kErrorBodyBytes
  Timing timing;
};

/// The most that is kept of the body of an answer that is no 2xx.
inline constexpr std::size_t kErrorBodyBytes = 64U << 10;

using Sink = std::function<Status(std::string_view piece)>;

/// Sends HTTP requests. The one seam between kinetic and the network: everything above it is tested
/// against a script of answers, and everything below it against servers that misbehave.
///
/// @threads  safe to call concurrently.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends `request`, its body from the beginning, and passes the body of a 2xx answer to `sink`,
  /// on the calling thread and in order; an error of the sink ends the transfer and is returned.
  /// The body of another answer is in Response::body.
  ///
  /// @errors  kUnavailable (no name, no connection, reset, cut short, stalled) · kDeadlineExceeded
  /// (no
  ///          connection in time) · kFailedPrecondition (TLS: what failed, for which name) ·
  ///          kUnauthenticated (a proxy wants a password) · kInvalidArgument (the address) ·
  ///          kCancelled. An error of a request of which nothing was sent has the detail "sent" =
  ///          "nothing".
  virtual Result<Response> Stream(const Request& request, const Sink& sink,
                                  std::stop_token stop) = 0;

  /// Like Stream, with the whole body in memory. @errors kResourceExhausted above `limit_bytes`.
  Result<Response> Send(const Request& request, std::stop_token stop,
                        std::size_t limit_bytes = 64U << 20);
};

}  // namespace kinetic::http
