#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"
#include "http/transport.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::http {

/// Whether sending a request twice has the same effect as sending it once.
enum class Idempotency : std::uint8_t {
  kIdempotent,     ///< reads, and writes with a precondition
  kNonIdempotent,  ///< retried only if no byte of it reached the server
};

/// Returns whether the status is 408, 429, 500, 502, 503 or 504.
bool IsRetryable(const Response& response);

/// Returns whether the error is kUnavailable or kDeadlineExceeded and, for a non-idempotent
/// request, nothing was sent.
bool IsRetryable(const Error& error, Idempotency idempotency);

/// Parses Retry-After, as seconds or as a date. A date is compared with the response's own Date, so
/// that a wrong local clock has no effect.
///
/// @source RFC 9110, section 10.2.3
std::optional<std::chrono::milliseconds> RetryAfter(const Response& response);

/// A failed attempt that is followed by another one.
struct RetryNotice {
  std::string cause;                  ///< "503 from Cloud Storage", "connection reset"
  int attempt = 0;                    ///< that failed, from 1
  std::chrono::milliseconds elapsed;  ///< since the operation began or made progress
  std::chrono::milliseconds delay;    ///< until the next attempt
};

/// Receives retries. OnRetry may be called concurrently and must not block for long.
class RetryObserver {
 public:
  virtual ~RetryObserver() = default;
  virtual void OnRetry(const RetryNotice& notice) = 0;
};

/// A budget for retries that changes while requests are sent. Until a server has responded, it is 15
/// seconds, because a wrong address is then more likely than an outage.
///
/// @threads  safe to call concurrently.
class RetryLimit {
 public:
  /// Ends the initial limit.
  void OnResponse() {
    auto initial = kFirstContact;
    limit_.compare_exchange_strong(initial, std::chrono::milliseconds::max());
  }
  /// Sets a limit that OnResponse does not change.
  void Set(std::chrono::milliseconds limit) { limit_ = limit; }
  std::chrono::milliseconds Get() const { return limit_; }

 private:
  static constexpr std::chrono::milliseconds kFirstContact{15'000};
  std::atomic<std::chrono::milliseconds> limit_{kFirstContact};
};

/// Limits and delays of retries.
struct RetryPolicy {
  int max_attempts = std::numeric_limits<int>::max();  ///< without progress in between
  std::chrono::milliseconds base{200};                 ///< upper bound of the first delay
  std::chrono::milliseconds cap{10'000};               ///< upper bound of every delay
  std::chrono::milliseconds budget{120'000};           ///< all attempts and delays together
  std::string_view service = "the server";             ///< for RetryNotice::cause
  RetryObserver* observer = nullptr;                   ///< outlives all users; may be null
  const RetryLimit* limit = nullptr;  ///< a smaller budget; outlives all users; may be null
};

/// Returns a delay uniform in [floor, floor + min(cap, base·2^(attempt-1))], where floor is
/// `retry_after`. The jitter spreads the retries of clients that failed at the same time.
///
/// @param attempt  the attempt that failed, from 1.
std::chrono::milliseconds BackoffDelay(const RetryPolicy& policy, int attempt,
                                       std::optional<std::chrono::milliseconds> retry_after);

/// Counts the attempts of one operation and waits between them. Not thread-safe.
class Backoff {
 public:
  Backoff(const RetryPolicy& policy, Clock& clock);

  /// Waits before the next attempt.
  ///
  /// @errors  `cause`, with the number of attempts, the time they took and a Retry-After that
  ///          exceeds the budget, if the policy allows no further attempt · kCancelled.
  Status Wait(const Error& cause, std::optional<std::chrono::milliseconds> retry_after,
              std::stop_token stop);

  /// Restarts the count after progress.
  void Reset();

 private:
  std::chrono::milliseconds Budget() const;
  void Notify(const Error& cause, std::chrono::milliseconds elapsed,
              std::chrono::milliseconds delay) const;

  RetryPolicy policy_;
  Clock* clock_;
  SteadyTime start_;
  int failed_ = 0;
};

/// Converts an error response to an Error; every service has its own format.
using ErrorOf = Error (*)(const Request& request, const Response& response);

/// Sends requests and retries transient failures. Safe to call concurrently.
class RetryingClient {
 public:
  /// `transport` and `clock` must outlive the client.
  RetryingClient(Transport& transport, ErrorOf error_of, const RetryPolicy& policy, Clock& clock)
      : transport_(&transport), error_of_(error_of), policy_(policy), clock_(&clock) {}

  /// Sends the request until a response is not retryable; that response may have any status. Each
  /// attempt sends the whole body. The response body is held in memory.
  ///
  /// @errors  those of Transport::Stream · those of `error_of`, if the last attempt had a retryable
  ///          status.
  Result<Response> Send(const Request& request, Idempotency idempotency,
                        std::stop_token stop) const;

 private:
  Transport* transport_;
  ErrorOf error_of_;
  RetryPolicy policy_;
  Clock* clock_;
};

}  // namespace kinetic::http
