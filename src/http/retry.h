#pragma once

#include "kinetic/result.h"

#include "base/clock.h"
#include "http/transport.h"
#include "http/verdict.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::http {

/// How long to go on, and how fast.
struct RetryPolicy {
  int max_attempts = 8;                       ///< in a row without progress
  std::chrono::milliseconds base{200};        ///< the first delay is at most this
  std::chrono::milliseconds cap{32'000};      ///< no delay of our own is longer
  std::chrono::milliseconds budget{300'000};  ///< of all delays and attempts together
};

/// A delay uniform in [floor, floor + min(cap, base·2^(attempt-1))], where floor is what the server
/// asked for: jitter keeps clients that failed together from coming back together.
///
/// @param attempt  the one that failed, from 1.
std::chrono::milliseconds NextDelay(const RetryPolicy& policy, int attempt,
                                    std::optional<std::chrono::milliseconds> retry_after);

/// The attempts at one thing: counts them, waits between them, and says in the end what was tried.
///
/// @threads  one thread at a time.
class Attempts {
 public:
  Attempts(const RetryPolicy& policy, Clock& clock);

  /// Waits before the next attempt. @errors `cause`, with the number of attempts and the time they
  /// took, when there is to be none; kCancelled.
  Status Again(const Error& cause, std::optional<std::chrono::milliseconds> retry_after,
               std::stop_token stop);

  /// Something was achieved: the count starts anew.
  void Progress();

 private:
  RetryPolicy policy_;
  Clock* clock_;
  SteadyTime start_;
  int failed_ = 0;
};

/// Turns an answer that is an error into one: each service has its own form of them.
using ErrorOf = Error (*)(const Request& request, const Response& response);

/// Sends requests until there is a final answer, which may be any status that does not pass.
///
/// @threads  safe to call concurrently.
class RetryingClient {
 public:
  /// All of them outlive it.
  RetryingClient(Transport& transport, ErrorOf error_of, const RetryPolicy& policy, Clock& clock)
      : transport_(&transport), error_of_(error_of), policy_(policy), clock_(&clock) {}

  /// The body of the request begins anew with each attempt, and the answer is held in memory.
  ///
  /// @errors  those of Transport::Stream · those of `error_of`, after the last attempt that brought
  /// a passing
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
