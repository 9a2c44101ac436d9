#include "target/kubernetes_failure_policy.h"

#include "pod/container.h"

#include <algorithm>
#include <string>

namespace kinetic::target {
namespace {

constexpr std::int64_t kTurnedAway = 3;

Value OnExitCodes(std::string action, std::string comparison, int code) {
  return Value::Map{{"action", std::move(action)},
                    {"onExitCodes", Value::Map{{"containerName", std::string(pod::kMainContainer)},
                                               {"operator", std::move(comparison)},
                                               {"values", Value::List{code}}}}};
}

}  // namespace

Value PodFailurePolicy(const RetrySpec& retry) {
  const bool replaced = retry.attempts > 1 && (retry.on_preempted || retry.on_infrastructure);
  const Value::Map disruption{{"type", "DisruptionTarget"}, {"status", "True"}};
  return Value::Map{{"rules", Value::List{Value::Map{{"action", replaced ? "Ignore" : "FailJob"},
                                                     {"onPodConditions", Value::List{disruption}}},
                                          OnExitCodes("Count", "In", pod::kAnotherAttempt),
                                          OnExitCodes("FailJob", "NotIn", pod::kAnotherAttempt)}}};
}

std::int64_t BackoffLimit(const RetrySpec& retry) {
  return std::int64_t{std::max(retry.attempts, 1U)} - 1 + kTurnedAway;
}

}  // namespace kinetic::target
