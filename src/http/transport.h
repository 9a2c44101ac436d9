#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"
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

/// How long a server is waited for before the caller is told.
inline constexpr std::chrono::milliseconds kSilence{5'000};

/// An HTTP request.
struct Request {
  std::string method = "GET";
  std::string url;  ///< http or https
  Headers headers;
  std::shared_ptr<Body> body;  ///< null: none
  std::chrono::milliseconds connect_timeout{10'000};
  /// The longest time without a byte in either direction, including the wait for the response;
  /// zero: no limit. The whole transfer has no time limit.
  std::chrono::milliseconds stall_timeout{60'000};
  /// Called every kSilence without a byte in either direction, on another thread; `silent` is the
  /// time since the last one. May be empty.
  std::function<void(std::chrono::milliseconds silent)> on_silence;
  /// Called with the head of a 2xx response, before the sink receives any data. May be empty.
  std::function<void(const Response& head)> on_head;
  bool follow_redirects = false;  ///< credentials are not sent to another host
};

/// Measurements of a request, for traces.
struct Timing {
  std::chrono::microseconds first_byte{0};  ///< from the start to the first byte of the response
  std::chrono::microseconds total{0};
  std::uint64_t sent_bytes = 0;      ///< of the body
  std::uint64_t received_bytes = 0;  ///< of the body
  bool new_connection = false;
};

/// A response with any status.
struct Response {
  int status = 0;
  Headers headers;
  std::string body;  ///< unless a sink received it; truncated to kErrorBodyBytes if not 2xx
  Timing timing;
};

/// Maximum size of the body of a non-2xx response.
inline constexpr std::size_t kErrorBodyBytes = 64U << 10;

using Sink = std::function<Status(std::string_view piece)>;

/// Sends HTTP requests. This is the seam between kinetic and the network: code above it is tested
/// with scripted responses. Safe to call concurrently.
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends `request` and passes the body of a 2xx response to `sink`, in order, on the calling
  /// thread. An error of the sink ends the transfer and is returned. The body of another response
  /// is in Response::body.
  ///
  /// @errors  kUnavailable (DNS, connection, reset, truncated, stalled) · kDeadlineExceeded (no
  ///          connection in time) · kFailedPrecondition (TLS: what failed, for which name) ·
  ///          kUnauthenticated (the proxy requires a password) · kInvalidArgument (the URL) ·
  ///          kCancelled. An error of a request of which nothing was sent has the detail "sent" =
  ///          "nothing".
  virtual Result<Response> Stream(const Request& request, const Sink& sink,
                                  std::stop_token stop) = 0;

  /// Like Stream, with the whole body in memory. @errors kResourceExhausted above `limit_bytes`.
  Result<Response> Send(const Request& request, std::stop_token stop,
                        std::size_t limit_bytes = 64U << 20);
};

}  // namespace kinetic::http
