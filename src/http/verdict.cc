#include "http/verdict.h"

#include "base/strings.h"
#include "http/date.h"

#include <algorithm>
#include <array>

namespace kinetic::http {
namespace {

constexpr std::array<int, 6> kTransientStatus{408, 429, 500, 502, 503, 504};

bool NothingWasSent(const Error& error) {
  return std::any_of(error.details.begin(), error.details.end(), [](const auto& detail) {
    return detail.first == "sent" && detail.second == "nothing";
  });
}

}  // namespace

Verdict Classify(const Response& response) {
  const bool passing = std::find(kTransientStatus.begin(), kTransientStatus.end(),
                                 response.status) != kTransientStatus.end();
  return passing ? Verdict::kTransient : Verdict::kFinal;
}

Verdict Classify(const Error& error, Idempotency idempotency) {
  const bool passing =
      error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kDeadlineExceeded;
  if (!passing) return Verdict::kFinal;
  return idempotency == Idempotency::kSafe || NothingWasSent(error) ? Verdict::kTransient
                                                                    : Verdict::kFinal;
}

std::optional<std::chrono::milliseconds> RetryAfter(const Response& response) {
  const auto field = response.headers.Get("retry-after");
  if (!field) return std::nullopt;
  if (const auto seconds = ParseInt(Trim(*field)); seconds && *seconds >= 0) {
    return std::chrono::seconds(*seconds);
  }
  const auto until = ParseHttpDate(*field);
  const auto now = ParseHttpDate(response.headers.Get("date").value_or(""));
  if (!until || !now) return std::nullopt;
  return std::max(std::chrono::duration_cast<std::chrono::milliseconds>(*until - *now),
                  std::chrono::milliseconds(0));
}

}  // namespace kinetic::http
