#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/diagnose/patterns.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "base/strings.h"
#include "pod/container.h"
#include "record/outcome.h"
#include "record/task_counts.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace kinetic::backend {
namespace {

constexpr std::int64_t kSignalled = 128;

/// Returns the condition that ended a Job, or null. FailureTarget and SuccessCriteriaMet precede
/// the final conditions.
const Value* EndCondition(const Value& job) {
  for (const std::string_view type :
       {"Failed", "FailureTarget", "Complete", "SuccessCriteriaMet"}) {
    if (IsConditionTrue(job, type)) return ConditionOf(job, type);
  }
  return nullptr;
}

const Value* Terminated(const Value& pod, std::string_view container) {
  const Value* status = ContainerStatus(pod, container);
  return status == nullptr ? nullptr : At(*status, {"state", "terminated"});
}

bool Runs(const Value& pod) {
  const Value* status = ContainerStatus(pod, pod::kMainContainer);
  return status != nullptr && At(*status, {"state", "running"}) != nullptr;
}

std::string MemoryLimit(const Value& pod) {
  const Value* main = ContainerSpec(pod, pod::kMainContainer);
  if (main == nullptr) return {};
  const double limit = QuantityIn(MapAt(*main, {"resources", "limits"}), "memory");
  return limit > 0 ? " of " + FormatAmount("memory", limit) : std::string();
}

Cause CauseOfCode(std::int64_t code) {
  if (code == 0) return Cause::kSucceeded;
  if (code == pod::kRetryRequested) return Cause::kRetrying;
  if (code == pod::kFailedBeforeUserCode) return Cause::kBeforeUserCode;
  if (code == pod::kCollectorLost) return Cause::kCrashLoop;
  return Cause::kProgram;
}

std::string ProgramHeadline(std::int64_t code) {
  if (code == record::kExitKilled) {
    return "the program was killed by SIGKILL, by another process or because a child used too much "
           "memory";
  }
  if (code > kSignalled && code < pod::kRetryRequested) {
    return fmt::format("the program was killed by signal {}", code - kSignalled);
  }
  return fmt::format("the program exited with code {}", code);
}

void Describe(Explanation& explanation, const Value& pod, const Value& end) {
  const std::int64_t code = IntAt(end, {"exitCode"}).value_or(0);
  switch (explanation.cause) {
    case Cause::kOutOfMemory:
      explanation.headline = "killed: exceeded its memory limit" + MemoryLimit(pod);
      break;
    case Cause::kProgram:
      explanation.headline = ProgramHeadline(code);
      break;
    case Cause::kCannotRun:
    case Cause::kImageArchitecture:
      explanation.headline += ": " + LastClause(TextAt(end, {"message"}));
      break;
    case Cause::kCrashLoop:
      explanation.headline = "kinetic's collector exited";
      explanation.final = true;
      break;
    default:
      break;
  }
}

/// Explains how the program's container ended.
MaybeExplanation ByContainer(const Value& pod) {
  for (const std::string_view container : {pod::kMainContainer, pod::kCollectorContainer}) {
    const Value* end = Terminated(pod, container);
    if (end == nullptr) continue;
    const std::string_view reason = TextAt(*end, {"reason"});
    const std::int64_t code = IntAt(*end, {"exitCode"}).value_or(0);
    if (container == pod::kCollectorContainer && code == 0) continue;
    Cause cause = MatchCause(SignalSource::kTerminated, reason, TextAt(*end, {"message"}))
                      .value_or(Cause::kProgram);
    if (cause == Cause::kProgram || cause == Cause::kSucceeded) {
      cause = container == pod::kCollectorContainer ? Cause::kCrashLoop : CauseOfCode(code);
    }
    Explanation explanation = MakeExplanation(
        cause, cause == Cause::kSucceeded ? JobState::kSucceeded : JobState::kFailed);
    Describe(explanation, pod, *end);
    explanation.evidence.push_back(ContainerEvidence(pod, container, "terminated"));
    explanation.since = explanation.evidence.back().first;
    return explanation;
  }
  return std::nullopt;
}

MaybeExplanation ByDisruption(const SnapshotIndex& index) {
  const Value* condition = ConditionOf(*index.pod, "DisruptionTarget");
  if (condition == nullptr || TextAt(*condition, {"status"}) != "True") return std::nullopt;
  const auto cause = MatchCause(SignalSource::kDisruption, TextAt(*condition, {"reason"}),
                                TextAt(*condition, {"message"}));
  Explanation explanation = MakeExplanation(cause.value_or(Cause::kEvicted), JobState::kPreempted);
  explanation.evidence.push_back(
      ConditionEvidence(*condition, fmt::format("pod {}", NameOf(*index.pod))));
  explanation.since = explanation.evidence.back().first;
  if (explanation.cause == Cause::kNodeLost) {
    explanation.headline =
        fmt::format("node {} does not respond", TextAt(*index.pod, {"spec", "nodeName"}));
  }
  const EventView* event =
      index.PodEvent({"Preempted", "Evicted", "TaintManagerEviction", "NodeNotReady", "ScaleDown"});
  if (event != nullptr) explanation.evidence.push_back(EvidenceOf(*event));
  return explanation;
}

MaybeExplanation ByPodStatus(const Value& pod) {
  const std::string_view reason = TextAt(pod, {"status", "reason"});
  if (reason.empty()) return std::nullopt;
  const auto cause =
      MatchCause(SignalSource::kPodStatus, reason, TextAt(pod, {"status", "message"}));
  if (!cause) return std::nullopt;
  Explanation explanation = MakeExplanation(*cause, JobState::kFailed);
  explanation.headline += ": " + LastClause(TextAt(pod, {"status", "message"}));
  explanation.evidence.push_back(PodStatusEvidence(pod));
  return explanation;
}

/// Explains why the newest pod has ended or is ending. A disruption or eviction takes precedence
/// over its effects on the containers.
MaybeExplanation ByPod(const SnapshotIndex& index) {
  if (index.pod == nullptr) return std::nullopt;
  if (auto explanation = ByPodStatus(*index.pod)) {
    if (auto disruption = ByDisruption(index)) {
      explanation->evidence.push_back(std::move(disruption->evidence.front()));
      explanation->since = disruption->since;
    }
    return explanation;
  }
  if (auto explanation = ByDisruption(index)) return explanation;
  if (At(*index.pod, {"metadata", "deletionTimestamp"}) != nullptr) {
    Explanation explanation = MakeExplanation(Cause::kPodDeleted, JobState::kFailed);
    if (const EventView* event = index.PodEvent({"Killing"})) {
      explanation.evidence.push_back(EvidenceOf(*event));
    }
    explanation.since = TimeAt(*index.pod, {"metadata", "deletionTimestamp"});
    return explanation;
  }
  const std::string_view phase = TextAt(*index.pod, {"status", "phase"});
  const bool ended = phase == "Failed" || phase == "Succeeded" ||
                     Terminated(*index.pod, pod::kMainContainer) != nullptr;
  return ended ? ByContainer(*index.pod) : std::nullopt;
}

/// Explains a Job that exceeded its deadline. Its pods are gone; their events show whether they
/// ran.
Explanation ByDeadline(const SnapshotIndex& index, const Evidence& evidence) {
  const EventView* kept_off =
      index.AnyPodEvent({"FailedScheduling", "Failed", "FailedMount", "FailedCreatePodSandBox"});
  const bool began = index.HasBegun() || kept_off == nullptr;
  Explanation explanation =
      MakeExplanation(began ? Cause::kTimeLimit : Cause::kStartTimeout, JobState::kFailed);
  explanation.evidence.push_back(evidence);
  explanation.since = evidence.first;
  if (began) return explanation;
  explanation.headline += ": " + LastClause(kept_off->message);
  explanation.evidence.push_back(EvidenceOf(*kept_off));
  return explanation;
}

/// Explains an array that failed: the cause of each task is that of its result.
Explanation ByTasks(const Value& job, const Evidence& evidence) {
  Explanation explanation = MakeExplanation(Cause::kProgram, JobState::kFailed);
  explanation.headline = record::FailureText(TaskCountsOf(job));
  explanation.evidence.push_back(evidence);
  explanation.since = evidence.first;
  explanation.final = true;
  return explanation;
}

Explanation ByJob(const SnapshotIndex& index, const Value& condition) {
  const std::string_view type = TextAt(condition, {"type"});
  const Evidence evidence =
      ConditionEvidence(condition, "job " + std::string(NameOf(*index.view.job)));
  if (type == "Complete" || type == "SuccessCriteriaMet") {
    Explanation explanation = MakeExplanation(Cause::kSucceeded, JobState::kSucceeded);
    explanation.evidence.push_back(evidence);
    explanation.since = evidence.first;
    return explanation;
  }
  Cause cause = MatchCause(SignalSource::kJobCondition, TextAt(condition, {"reason"}),
                           TextAt(condition, {"message"}))
                    .value_or(Cause::kBackoffLimit);
  if (IsArray(*index.view.job)) return ByTasks(*index.view.job, evidence);
  // Except for a deadline, the pod has the cause.
  if (cause == Cause::kTimeLimit) return ByDeadline(index, evidence);
  MaybeExplanation pod = ByPod(index);
  Explanation explanation = MakeExplanation(cause, JobState::kFailed);
  const bool tells = pod && pod->cause != Cause::kRetrying;
  if (pod && !tells) explanation.evidence = std::move(pod->evidence);
  if (tells) explanation = *std::move(pod);
  if (explanation.state != JobState::kPreempted) explanation.state = JobState::kFailed;
  explanation.evidence.push_back(evidence);
  explanation.since = evidence.first;
  explanation.final = true;
  return explanation;
}

/// Explains a pod that has ended while the Job continues. Whether another attempt follows is
/// unknown.
Explanation BetweenAttempts(Explanation explanation, const SnapshotIndex& index) {
  const std::string_view phase = TextAt(*index.pod, {"status", "phase"});
  const bool collecting = phase == "Running" || phase == "Pending";
  explanation.final = false;
  if (explanation.cause == Cause::kSucceeded) {
    const auto evidence = std::move(explanation.evidence);
    explanation = MakeExplanation(Cause::kCollecting, JobState::kRunning);
    explanation.evidence = evidence;
    return explanation;
  }
  explanation.state = collecting ? JobState::kRunning : JobState::kPending;
  if (explanation.cause == Cause::kRetrying) return explanation;
  explanation.headline += Runs(*index.pod) ? "; the program is being stopped"
                          : collecting     ? "; its results are being stored"
                                           : "; another attempt may follow";
  return explanation;
}

/// Explains a deleted Job: it was deleted, or its namespace was.
Explanation Deleted(const SnapshotView& view) {
  const bool ending =
      view.name_space != nullptr && TextAt(*view.name_space, {"status", "phase"}) == "Terminating";
  Explanation explanation =
      MakeExplanation(ending ? Cause::kNamespaceEnding : Cause::kJobDeleted, JobState::kLost);
  if (ending) {
    explanation.phase = Phase::kRun;
    explanation.since = TimeAt(*view.name_space, {"metadata", "deletionTimestamp"});
  }
  if (view.job != nullptr) explanation.since = TimeAt(*view.job, {"metadata", "deletionTimestamp"});
  return explanation;
}

Explanation ByAbsence(const SnapshotView& view) {
  if (!view.job_existed) {
    Explanation explanation = MakeExplanation(Cause::kNoStatus, JobState::kPending);
    explanation.headline = "the Job does not exist on the cluster yet";
    return explanation;
  }
  return Deleted(view);
}

}  // namespace

MaybeExplanation ExplainEnd(const SnapshotIndex& index) {
  if (index.view.job == nullptr) return ByAbsence(index.view);
  if (const Value* condition = EndCondition(*index.view.job)) return ByJob(index, *condition);
  if (At(*index.view.job, {"metadata", "deletionTimestamp"}) != nullptr) {
    return Deleted(index.view);
  }
  if (BoolAt(*index.view.job, {"spec", "suspend"})) return std::nullopt;
  if (IsArray(*index.view.job)) return std::nullopt;  // its tasks have pods
  auto pod = ByPod(index);
  if (!pod) return std::nullopt;
  return BetweenAttempts(*std::move(pod), index);
}

}  // namespace kinetic::backend
