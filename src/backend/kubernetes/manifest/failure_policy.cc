#include "backend/kubernetes/manifest/lifetime.h"
#include "pod/container.h"
#include "pod/node_failure.h"
#include "record/outcome.h"

#include <algorithm>
#include <iterator>
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
  if (retry.attempts > 1 && retry.on_infrastructure) {
    codes.push_back(pod::kCollectorLost);
    std::ranges::copy(pod::kNodeFailureCodes, std::back_inserter(codes));
  }
  std::ranges::sort(codes);
  return codes;
}

Value OnExitCodes(std::string action, std::string comparison, const std::vector<int>& codes) {
  return Value::Map{{"action", std::move(action)},
                    {"onExitCodes", Value::Map{{"containerName", std::string(pod::kMainContainer)},
                                               {"operator", std::move(comparison)},
                                               {"values", codes}}}};
}

Value Disruption() { return Value::Map{{"type", "DisruptionTarget"}, {"status", "True"}}; }

/// The runner has stored the results of the tasks that ended, also of one that was killed with its
/// container. Another pod continues after them.
Value SharedPodPolicy() {
  std::vector<int> again{record::kExitKilled, pod::kRetryRequested, pod::kCollectorLost};
  std::ranges::copy(pod::kNodeFailureCodes, std::back_inserter(again));
  std::ranges::sort(again);
  const std::vector<int> final{pod::kTooManyTasksFailed};
  std::vector<int> known = again;
  known.insert(known.end(), final.begin(), final.end());
  std::ranges::sort(known);
  return Value::Map{
      {"rules",
       Value::List{OnExitCodes("FailJob", "In", final),
                   Value::Map{{"action", "Ignore"}, {"onPodConditions", Value::List{Disruption()}}},
                   OnExitCodes("Count", "In", again), OnExitCodes("FailIndex", "NotIn", known)}}};
}

}  // namespace

Value PodFailurePolicy(const RetrySpec& retry, FailureScope scope) {
  if (scope == FailureScope::kTasks) return SharedPodPolicy();
  const char* const fail = scope == FailureScope::kJob ? "FailJob" : "FailIndex";
  const bool replaced = retry.attempts > 1 && (retry.on_preempted || retry.on_infrastructure);
  const std::vector<int> again = AgainCodes(retry);
  return Value::Map{
      {"rules", Value::List{Value::Map{{"action", replaced ? "Ignore" : fail},
                                       {"onPodConditions", Value::List{Disruption()}}},
                            OnExitCodes("Count", "In", again), OnExitCodes(fail, "NotIn", again)}}};
}

std::int64_t BackoffLimit(const RetrySpec& retry, std::uint32_t tasks_per_pod) {
  const auto attempts = std::int64_t{std::max(retry.attempts, 1U)};
  return attempts * std::max(tasks_per_pod, 1U) - 1 + kTurnedAway;
}

}  // namespace kinetic::backend
