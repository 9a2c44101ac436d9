#pragma once

#include "http/transport.h"

#include <chrono>
#include <optional>

namespace kinetic::http {

/// Whether the same request may be sent again as it is.
enum class Idempotency : std::uint8_t {
  kSafe,    ///< sent twice it does what it does once: reads, and writes with a precondition
  kUnsafe,  ///< sent again only when nothing of it reached the server
};

/// What to make of one attempt.
enum class Verdict : std::uint8_t {
  kFinal,      ///< an answer, or a failure that will not pass
  kTransient,  ///< the same request may do better later
};

/// 408, 429, 500, 502, 503 and 504 may pass; every other status is final.
Verdict Classify(const Response& response);

/// kUnavailable and kDeadlineExceeded may pass; of an unsafe request only when nothing was sent.
Verdict Classify(const Error& error, Idempotency idempotency);

/// What Retry-After asks for, in either of its forms (seconds or a date); the date is held against
/// the answer's own Date, so that a wrong clock here does no harm.
///
/// @source RFC 9110, section 10.2.3
std::optional<std::chrono::milliseconds> RetryAfter(const Response& response);

}  // namespace kinetic::http
