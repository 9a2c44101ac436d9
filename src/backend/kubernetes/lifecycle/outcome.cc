#include "record/outcome.h"

#include "backend/kubernetes/lifecycle/end.h"
#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "pod/container.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::backend {
namespace {

/// Returns the state of a job that was ended by this cause.
struct Ending {
  Cause cause;
  JobState state;
  int exit_code;
  ExitSource source;
};

constexpr std::array kEndings = {
    Ending{Cause::kOutOfMemory, JobState::kFailed, record::kExitKilled, ExitSource::kProgram},
    Ending{Cause::kTimeLimit, JobState::kFailed, record::kExitTimeLimit, ExitSource::kKinetic},
    Ending{Cause::kStartTimeout, JobState::kFailed, record::kExitTooLate, ExitSource::kKinetic},
    Ending{Cause::kCancelled, JobState::kCancelled, record::kExitCancelled, ExitSource::kKinetic},
    Ending{Cause::kEvictedMemory, JobState::kPreempted, record::kExitPreempted,
           ExitSource::kKinetic},
    Ending{Cause::kEvictedDisk, JobState::kPreempted, record::kExitPreempted, ExitSource::kKinetic},
    Ending{Cause::kEvicted, JobState::kPreempted, record::kExitPreempted, ExitSource::kKinetic},
    Ending{Cause::kPreempted, JobState::kPreempted, record::kExitPreempted, ExitSource::kKinetic},
    Ending{Cause::kDrained, JobState::kPreempted, record::kExitPreempted, ExitSource::kKinetic},
    Ending{Cause::kNodeShutDown, JobState::kPreempted, record::kExitPreempted,
           ExitSource::kKinetic},
    Ending{Cause::kPodDeleted, JobState::kPreempted, record::kExitPreempted, ExitSource::kKinetic},
    Ending{Cause::kJobDeleted, JobState::kLost, record::kExitLost, ExitSource::kKinetic},
    Ending{Cause::kNodeLost, JobState::kLost, record::kExitLost, ExitSource::kKinetic},
    Ending{Cause::kLost, JobState::kLost, record::kExitLost, ExitSource::kKinetic},
};

/// Returns the exit code of the job's container, if its kubelet has reported it.
std::optional<int> ExitCodeOf(const ClusterSnapshot& snapshot) {
  std::optional<int> code;
  for (const Value* each : snapshot.PodsInOrder()) {
    const Value* main = ContainerStatus(*each, pod::kMainContainer);
    if (main == nullptr) continue;
    if (const auto exit = IntAt(*main, {"state", "terminated", "exitCode"})) {
      code = static_cast<int>(*exit);
    }
  }
  return code;
}

/// Handles causes without a state of their own: the program ended, or it never ran.
Ending EndingOf(const ClusterSnapshot& snapshot, const Explanation& explanation, bool cancelled) {
  if (cancelled && explanation.cause != Cause::kStartTimeout) {
    return {Cause::kCancelled, JobState::kCancelled, record::kExitCancelled, ExitSource::kKinetic};
  }
  const auto known = std::ranges::find(kEndings, explanation.cause, &Ending::cause);
  if (known != kEndings.end()) return *known;
  const auto code = ExitCodeOf(snapshot);
  const bool own = code && (*code < pod::kFirstReservedCode || *code > pod::kLastReservedCode);
  if (own && *code != 0) return {explanation.cause, JobState::kFailed, *code, ExitSource::kProgram};
  // The pod of a successful program may no longer exist.
  if (code == 0 || explanation.cause == Cause::kSucceeded) {
    return {Cause::kLost, JobState::kLost, record::kExitLost, ExitSource::kKinetic};
  }
  return {explanation.cause, JobState::kFailed, record::kExitBeforeUserCode, ExitSource::kKinetic};
}

}  // namespace

std::string EvidenceLine(const Explanation& explanation) {
  if (explanation.evidence.empty()) return explanation.headline;
  return explanation.evidence.front().source + ": " + explanation.evidence.front().text;
}

record::StoredOutcome OutcomeOf(const ClusterSnapshot& snapshot, const Explanation& explanation,
                                std::optional<record::StoredOutcome> attempt, bool cancelled) {
  record::StoredOutcome stored = attempt ? *std::move(attempt) : record::StoredOutcome();
  Outcome& outcome = stored.outcome;
  // The runner observed the program itself, so its account takes precedence over the cluster's.
  const bool seen = outcome.exception.has_value();
  const Ending ending = EndingOf(snapshot, explanation, cancelled);
  if (!seen) {
    outcome.state = ending.state;
    outcome.exit_code = ending.exit_code;
    outcome.exit_source = ending.source;
    outcome.phase = explanation.phase;
    outcome.reason = ending.cause == Cause::kCancelled ? "cancelled" : explanation.headline;
  }
  stored.evidence = EvidenceLine(explanation);
  if (stored.moments.empty()) {
    const auto status = StateOf(snapshot.ViewAt({}));
    stored.moments = status.timeline;
    outcome.attempt = std::max(outcome.attempt, status.attempt);
    for (const auto& moment : status.timeline) {
      outcome.timeline.emplace_back(moment.name, moment.time);
    }
  }
  stored.outcome.value = {};
  stored.written_by = "client";
  return stored;
}

}  // namespace kinetic::backend
