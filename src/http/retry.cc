#include "http/retry.h"

#include "base/random.h"
#include "base/try.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinetic::http {

using std::chrono::milliseconds;

milliseconds NextDelay(const RetryPolicy& policy, int attempt,
                       std::optional<milliseconds> retry_after) {
  constexpr int kMostDoublings = 20;
  const auto doubled = policy.base * (std::int64_t{1} << std::min(attempt - 1, kMostDoublings));
  const auto spread = static_cast<std::uint64_t>(std::min(policy.cap, doubled).count());
  const milliseconds jitter(static_cast<std::int64_t>(RandomBelow(spread + 1)));
  return retry_after.value_or(milliseconds(0)) + jitter;
}

Attempts::Attempts(const RetryPolicy& policy, Clock& clock)
    : policy_(policy), clock_(&clock), start_(clock.Steady()) {}

void Attempts::Progress() {
  failed_ = 0;
  start_ = clock_->Steady();
}

Status Attempts::Again(const Error& cause, std::optional<milliseconds> retry_after,
                       std::stop_token stop) {
  ++failed_;
  const auto elapsed = std::chrono::duration_cast<milliseconds>(clock_->Steady() - start_);
  const milliseconds delay = NextDelay(policy_, failed_, retry_after);
  if (failed_ < policy_.max_attempts && elapsed + delay <= policy_.budget) {
    return clock_->Sleep(delay, std::move(stop));
  }
  Error last = cause;
  if (failed_ > 1) {
    last.message += fmt::format(" (after {} attempts in {:.1f} s)", failed_,
                                static_cast<double>(elapsed.count()) / 1000.0);
  }
  return Failure(std::move(last));
}

Result<Response> RetryingClient::Send(const Request& request, Idempotency idempotency,
                                      std::stop_token stop) const {
  Attempts attempts(policy_, *clock_);
  for (;;) {
    auto response = transport_->Send(request, stop);
    if (!response) {
      if (Classify(response.error(), idempotency) == Verdict::kFinal) return response;
      KINETIC_RETURN_IF_ERROR(attempts.Again(response.error(), std::nullopt, stop));
      continue;
    }
    const bool passing =
        Classify(*response) == Verdict::kTransient && idempotency == Idempotency::kSafe;
    if (!passing) return response;
    KINETIC_RETURN_IF_ERROR(
        attempts.Again(error_of_(request, *response), RetryAfter(*response), stop));
  }
}

}  // namespace kinetic::http
