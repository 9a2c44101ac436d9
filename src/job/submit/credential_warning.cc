#include "connect/cloud_options.h"
#include "job/submit/checks.h"

#include <algorithm>
#include <chrono>

namespace kinetic::job {
namespace {

using std::chrono::milliseconds;

/// Returns the maximum duration of a job, or nullopt if there is no limit.
std::optional<milliseconds> MaxDuration(const JobSpec& spec) {
  const Timeouts& limits = spec.timeouts;
  if (!limits.pending || !limits.run) return std::nullopt;
  constexpr milliseconds kYears = std::chrono::hours(24 * 365 * 10);
  const milliseconds attempt = *limits.run + limits.grace;
  if (attempt > kYears / std::max<std::uint32_t>(spec.retry.attempts, 1)) return std::nullopt;
  return *limits.pending + attempt * spec.retry.attempts;
}

}  // namespace

std::optional<std::string> CredentialWarning(const Context& context, const JobSpec& spec) {
  const CloudOptions& options = context.options.cloud;
  if (!IsInBucket(context.options.profile.store)) return std::nullopt;
  return connect::ExpiryWarning(options, context.clock.Now(), MaxDuration(spec));
}

}  // namespace kinetic::job
