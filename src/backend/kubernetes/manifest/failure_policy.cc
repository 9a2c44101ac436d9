#include "backend/kubernetes/manifest/lifetime.h"
#include "pod/container.h"
#include "record/outcome.h"

#include <algorithm>
#include <string>
#include <vector>

namespace kinetic::backend {
namespace {

constexpr std::int64_t kTurnedAway = 3;

/// Returns the exit codes after which another pod is started, in ascending order.
std::vector<int> AgainCodes(const RetrySpec& retry) {
  std::vector<int> codes;
  // If the launcher was killed with its container, it could not request a retry.
  const bool when_killed = std::ranges::count(retry.on_exit_codes, record::kExitKilled) > 0;
  if (retry.attempts > 1 && when_killed) codes.push_back(record::kExitKilled);
  codes.push_back(pod::kRetryRequested);
  if (retry.attempts > 1 && retry.on_infrastructure) codes.push_back(pod::kCollectorLost);
  return codes;
}

Value OnExitCodes(std::string action, std::string comparison, const RetrySpec& retry) {
  return Value::Map{{"action", std::move(action)},
                    {"onExitCodes", Value::Map{{"containerName", std::string(pod::kMainContainer)},
                                               {"operator", std::move(comparison)},
                                               {"values", AgainCodes(retry)}}}};
}

}  // namespace

Value PodFailurePolicy(const RetrySpec& retry, FailureScope scope) {
  const char* const fail = scope == FailureScope::kJob ? "FailJob" : "FailIndex";
  const bool replaced = retry.attempts > 1 && (retry.on_preempted || retry.on_infrastructure);
  const Value::Map disruption{{"type", "DisruptionTarget"}, {"status", "True"}};
  return Value::Map{
      {"rules", Value::List{Value::Map{{"action", replaced ? "Ignore" : fail},
                                       {"onPodConditions", Value::List{disruption}}},
                            OnExitCodes("Count", "In", retry), OnExitCodes(fail, "NotIn", retry)}}};
}

std::int64_t BackoffLimit(const RetrySpec& retry) {
  return std::int64_t{std::max(retry.attempts, 1U)} - 1 + kTurnedAway;
}

}  // namespace kinetic::backend
