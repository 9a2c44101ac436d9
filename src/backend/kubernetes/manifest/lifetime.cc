#include "backend/kubernetes/manifest/lifetime.h"

#include <algorithm>

namespace kinetic::backend {
namespace {

constexpr std::chrono::seconds kTimeToStore{120};
/// Covers time that counts as neither pending nor running, such as storing the last outputs.
constexpr std::chrono::minutes kSlack{30};
/// Kubernetes stores these seconds in 64 bits, but controllers use fewer. Ten years fit.
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
  // The runner limits each task.
  if (spec.array || !timeouts.pending || !timeouts.run) return std::nullopt;
  const auto attempt =
      RoundUp(*timeouts.pending) + RoundUp(*timeouts.run) + TerminationGrace(timeouts);
  return std::min(attempt * std::max(spec.retry.attempts, 1U) + kSlack, kLongest);
}

}  // namespace kinetic::backend
