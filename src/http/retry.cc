#include "http/retry.h"

#include "kinetic/try.h"

#include "base/random.h"
#include "base/strings.h"
#include "http/last_cause.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace kinetic::http {

using std::chrono::milliseconds;

namespace {

constexpr std::array<int, 6> kRetryableStatuses{408, 429, 500, 502, 503, 504};

bool NothingWasSent(const Error& error) {
  return std::any_of(error.details.begin(), error.details.end(), [](const auto& detail) {
    return detail.first == "sent" && detail.second == "nothing";
  });
}

/// Returns the shortest text that names the cause: "503 from Cloud Storage", or the message without
/// the request.
std::string CauseOf(const Error& error, std::string_view service) {
  for (const auto& [key, value] : error.details) {
    if (key == "status") return fmt::format("{} from {}", value, service);
  }
  constexpr std::string_view kEnd = ": ";
  const std::size_t at = error.message.find(kEnd);
  return at == std::string::npos ? error.message : error.message.substr(at + kEnd.size());
}

}  // namespace

bool IsRetryable(const Response& response) {
  return std::ranges::find(kRetryableStatuses, response.status) != kRetryableStatuses.end();
}

bool IsRetryable(const Error& error, Idempotency idempotency) {
  if (error.code != ErrorCode::kUnavailable && error.code != ErrorCode::kDeadlineExceeded) {
    return false;
  }
  return idempotency == Idempotency::kIdempotent || NothingWasSent(error);
}

std::optional<milliseconds> RetryAfter(const Response& response) {
  const auto field = response.headers.Get("retry-after");
  if (!field) return std::nullopt;
  if (const auto seconds = ParseInt(Trim(*field)); seconds && *seconds >= 0) {
    return std::chrono::seconds(*seconds);
  }
  const auto until = ParseHttpDate(*field);
  if (!until) return std::nullopt;
  // A response without a Date is compared with this machine's clock, which may be wrong.
  constexpr std::chrono::minutes kLongestByOwnClock{10};
  const auto now = ParseHttpDate(response.headers.Get("date").value_or(""));
  const auto wait =
      std::chrono::duration_cast<milliseconds>(*until - now.value_or(SystemClock().Now()));
  if (!now && wait > kLongestByOwnClock) return std::nullopt;
  return std::max(wait, milliseconds(0));
}

milliseconds BackoffDelay(const RetryPolicy& policy, int attempt,
                          std::optional<milliseconds> retry_after) {
  constexpr int kMaxDoublings = 20;
  const auto doubled = policy.base * (std::int64_t{1} << std::min(attempt - 1, kMaxDoublings));
  const auto spread = static_cast<std::uint64_t>(std::min(policy.cap, doubled).count());
  const milliseconds jitter(static_cast<std::int64_t>(RandomBelow(spread + 1)));
  return retry_after.value_or(milliseconds(0)) + jitter;
}

Backoff::Backoff(const RetryPolicy& policy, Clock& clock)
    : policy_(policy), clock_(&clock), start_(clock.Steady()) {}

void Backoff::Reset() {
  failed_ = 0;
  start_ = clock_->Steady();
}

Status Backoff::Wait(const Error& cause, std::optional<milliseconds> retry_after,
                     std::stop_token stop) {
  ++failed_;
  const auto stopped = [&](Error error) {
    return Failure(WithLastCause(std::move(error), cause.message));
  };
  if (stop.stop_requested()) return stopped({ErrorCode::kCancelled, "stopped", {}, {}});
  const auto elapsed = std::chrono::duration_cast<milliseconds>(clock_->Steady() - start_);
  const milliseconds delay = BackoffDelay(policy_, failed_, retry_after);
  if (failed_ < policy_.max_attempts && elapsed + delay < Budget()) {
    Notify(cause, elapsed, delay);
    auto slept = clock_->Sleep(delay, std::move(stop));
    if (!slept) return stopped(std::move(slept).error());
    return slept;
  }
  Error last = cause;
  if (retry_after && *retry_after > Budget() - elapsed) {
    last.message += fmt::format(" (the server asks to retry after {} s)",
                                std::chrono::ceil<std::chrono::seconds>(*retry_after).count());
  }
  if (failed_ > 1) {
    last.message += fmt::format(" (after {} attempts in {:.1f} s)", failed_,
                                static_cast<double>(elapsed.count()) / 1000.0);
  }
  return Failure(std::move(last));
}

milliseconds Backoff::Budget() const {
  return policy_.limit == nullptr ? policy_.budget : std::min(policy_.budget, policy_.limit->Get());
}

void Backoff::Notify(const Error& cause, milliseconds elapsed, milliseconds delay) const {
  if (policy_.observer == nullptr) return;
  policy_.observer->OnRetry({CauseOf(cause, policy_.service), failed_, elapsed, delay});
}

Result<Response> RetryingClient::Send(const Request& request, Idempotency idempotency,
                                      std::stop_token stop) const {
  Backoff backoff(policy_, *clock_);
  std::string last_cause;
  for (;;) {
    auto response = transport_->Send(request, stop);
    if (!response) {
      if (!IsRetryable(response.error(), idempotency))
        return Failure(WithLastCause(std::move(response).error(), last_cause));
      last_cause = response.error().message;
      KINETIC_RETURN_IF_ERROR(backoff.Wait(response.error(), std::nullopt, stop));
      continue;
    }
    if (!IsRetryable(*response) || idempotency == Idempotency::kNonIdempotent) return response;
    KINETIC_RETURN_IF_ERROR(
        backoff.Wait(error_of_(request, *response), RetryAfter(*response), stop));
  }
}

}  // namespace kinetic::http
