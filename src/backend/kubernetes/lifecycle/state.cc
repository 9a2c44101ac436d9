#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/manifest/fallback_annotations.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/kubernetes/snapshot/index.h"
#include "base/strings.h"
#include "pod/container.h"
#include "record/task_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kinetic::backend {
namespace {

/// Orders by time. Entries of the same time keep their order.
void Note(record::AttemptStatus& status, std::string_view name, std::optional<WallTime> time,
          std::string detail = {}) {
  if (!time) return;
  const auto after = std::ranges::upper_bound(status.timeline, *time, {}, &record::Moment::time);
  status.timeline.insert(after, {std::string(name), *time, std::move(detail)});
}

std::optional<WallTime> WhenTrue(const Value& object, std::string_view type) {
  if (!IsConditionTrue(object, type)) return std::nullopt;
  return TimeAt(*ConditionOf(object, type), {"lastTransitionTime"});
}

/// Returns when a container started, whether it is running or has ended.
std::optional<WallTime> StartOf(const Value& pod, std::string_view container) {
  const Value* status = ContainerStatus(pod, container);
  if (status == nullptr) return std::nullopt;
  const auto running = TimeAt(*status, {"state", "running", "startedAt"});
  return running ? running : TimeAt(*status, {"state", "terminated", "startedAt"});
}

std::optional<WallTime> EndOf(const Value& pod, std::string_view container) {
  const Value* status = ContainerStatus(pod, container);
  return status == nullptr ? std::nullopt : TimeAt(*status, {"state", "terminated", "finishedAt"});
}

/// Returns "in 1m2.5s, 2838933 bytes" for "Successfully pulled image "x" in 1m2.5s (…). Image size:
/// 2838933 bytes.", or an empty string for an image that was on the node.
std::string PullDetail(std::string_view message) {
  const std::size_t took = message.find("\" in ");
  if (took == std::string_view::npos) return {};
  std::string_view rest = message.substr(took + 2);
  std::string detail(rest.substr(0, rest.find(" (")));
  constexpr std::string_view kSize = "Image size: ";
  const std::size_t size = rest.find(kSize);
  if (size != std::string_view::npos) {
    rest = rest.substr(size + kSize.size());
    detail += fmt::format(", {}", rest.substr(0, rest.find('.')));
  }
  return detail;
}

/// Notes the timeline of the newest pod, in the order of a pod's life.
void NotePod(record::AttemptStatus& status, const SnapshotIndex& index) {
  const Value& pod = *index.pod;
  Note(status, "scheduled", WhenTrue(pod, "PodScheduled"),
       std::string(TextAt(pod, {"spec", "nodeName"})));
  const Value* main = ContainerSpec(pod, pod::kMainContainer);
  const std::string image =
      fmt::format("\"{}\"", main == nullptr ? std::string_view() : TextAt(*main, {"image"}));
  if (const EventView* pulling = index.PodEvent({"Pulling"}, image)) {
    Note(status, "pulling", pulling->first);
  }
  if (const EventView* pulled = index.PodEvent({"Pulled"}, image)) {
    Note(status, "pulled", pulled->first, PullDetail(pulled->message));
  }
  Note(status, "collector started", StartOf(pod, pod::kCollectorContainer));
  Note(status, "started", StartOf(pod, pod::kMainContainer));
  Note(status, "terminated", EndOf(pod, pod::kMainContainer));
}

/// Notes what the Job of an array counts.
void NoteTasks(record::AttemptStatus& status, const Value& job) {
  status.tasks = TaskCountsOf(job);
  status.attempt = 1;
  if (status.state == JobState::kRunning) status.reason = status.tasks->ToString();
  const bool has_begun = status.tasks->running + status.tasks->Ended() > 0;
  if (has_begun) Note(status, "started", TimeAt(job, {"status", "startTime"}));
}

std::optional<WallTime> FinishOf(const Value& job) {
  for (const std::string_view type : {"Failed", "Complete"}) {
    if (const auto time = WhenTrue(job, type)) return time;
  }
  return std::nullopt;
}

/// Returns the number of pods that were tried: existing ones, and deleted ones that the Job
/// counted.
std::uint32_t AttemptOf(const SnapshotView& view) {
  std::int64_t counted = 0;
  if (view.job != nullptr) {
    counted = IntAt(*view.job, {"status", "failed"}).value_or(0) +
              IntAt(*view.job, {"status", "succeeded"}).value_or(0) +
              IntAt(*view.job, {"status", "active"}).value_or(0);
  }
  const auto there = static_cast<std::int64_t>(view.pods.size());
  const std::int64_t tried = std::max(counted, there);
  return static_cast<std::uint32_t>(std::max<std::int64_t>(tried, 1));
}

/// Returns "gpu-l4: " for a job with several accelerators that waits for this one.
std::string AcceleratorPrefix(const Explanation& explanation, const SnapshotView& view) {
  const bool waits = explanation.phase == Phase::kProvision || explanation.phase == Phase::kQueue;
  if (!waits || IsTerminal(explanation.state) || view.job == nullptr) return {};
  const bool alone = NextAccelerator(*view.job).empty() && FailedAccelerators(*view.job).empty();
  return alone ? std::string() : view.requested.accelerator + ": ";
}

/// Returns whether pods of an array that ends may still store results. Old versions of Kubernetes
/// do not count down the terminating pods of a Job that has failed.
bool MayHavePods(const Value& job, WallTime now) {
  constexpr std::chrono::minutes kLongestEnd{1};
  if (HasNoPods(job)) return false;
  const auto end = FinishOf(job);
  const auto grace = IntAt(job, {"spec", "template", "spec", "terminationGracePeriodSeconds"});
  return !end || now < *end + std::chrono::seconds(grace.value_or(0)) + kLongestEnd;
}

}  // namespace

record::AttemptStatus StateOf(const SnapshotView& view) {
  const SnapshotIndex index(view);
  const Explanation explanation = Explain(view);
  record::AttemptStatus status{.id = view.job_id,
                               .attempt = AttemptOf(view),
                               .state = explanation.state,
                               .phase = explanation.phase};
  const bool tells = explanation.cause != Cause::kRunning && explanation.cause != Cause::kSucceeded;
  if (tells) status.reason = AcceleratorPrefix(explanation, view) + explanation.headline;
  if (view.job != nullptr) {
    Note(status, "created", SubmittedAt(*view.job));
    for (const FailedAccelerator& tried : FailedAccelerators(*view.job)) {
      Note(status, "given up", tried.until, fmt::format("{}: {}", tried.accelerator, tried.reason));
    }
  }
  if (view.workload != nullptr) {
    Note(status, "admitted", WhenTrue(*view.workload, "Admitted"));
  }
  const bool is_array = view.job != nullptr && IsArray(*view.job);
  if (is_array) NoteTasks(status, *view.job);
  if (index.pod != nullptr && !is_array) NotePod(status, index);
  if (view.job != nullptr) Note(status, "finished", FinishOf(*view.job));
  return status;
}

Observation ObservationOf(const ClusterSnapshot& snapshot, WallTime now) {
  Observation observation;
  observation.status = StateOf(snapshot.ViewAt(now));
  if (observation.status.tasks && IsTerminal(observation.status.state)) {
    observation.alive = MayHavePods(*snapshot.job, now);
    if (!observation.alive) return observation;
    observation.status.state = JobState::kRunning;
    observation.status.phase = Phase::kCollect;
    observation.status.reason = observation.status.tasks->ToString() + "; ending";
    return observation;
  }
  const bool stopped = snapshot.job && IsStopped(*snapshot.job) && AllPodsEnded(snapshot);
  observation.alive = !stopped && !IsTerminal(observation.status.state);
  return observation;
}

}  // namespace kinetic::backend
