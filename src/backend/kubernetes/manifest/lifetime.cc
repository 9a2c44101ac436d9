#include "backend/kubernetes/manifest/lifetime.h"

#include <algorithm>

namespace kinetic::backend {
namespace {

constexpr std::chrono::seconds kTimeToStore{120};
/// For what counts as neither waiting nor running: the last outputs on their way to the store.
constexpr std::chrono::minutes kSlack{30};
/// Kubernetes keeps these numbers of seconds in 64 and controllers in fewer bits; ten years is
/// none.
constexpr std::chrono::seconds kLongest = std::chrono::hours{10 * 365 * 24};

std::chrono::seconds RoundUp(std::chrono::milliseconds time) {
  return std::min(std::chrono::ceil<std::chrono::seconds>(time), kLongest);
}

}  // namespace

std::chrono::seconds TerminationGrace(const Timeouts& timeouts) {
  return RoundUp(timeouts.grace) + kTimeToStore;
}

std::optional<std::chrono::seconds> ActiveDeadline(const JobSpec& spec) {
  const Timeouts& timeouts = spec.timeouts;
  if (!timeouts.pending || !timeouts.run) return std::nullopt;
  const auto attempt =
      RoundUp(*timeouts.pending) + RoundUp(*timeouts.run) + TerminationGrace(timeouts);
  return std::min(attempt * std::max(spec.retry.attempts, 1U) + kSlack, kLongest);
}

}  // namespace kinetic::backend
