#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/snapshot/array_status.h"
#include "record/task_counts.h"

#include <fmt/format.h>

namespace kinetic::backend {
namespace {

/// Explains why the pod of a task that has not started waits.
MaybeExplanation ExplainWaitingPod(const SnapshotIndex& index) {
  if (index.pod == nullptr || TextAt(*index.pod, {"status", "phase"}) != "Pending") {
    return std::nullopt;
  }
  for (const auto explain : {&ExplainContainers, &ExplainAutoscaler, &ExplainScheduling}) {
    if (auto explanation = explain(index)) return explanation;
  }
  return std::nullopt;
}

}  // namespace

MaybeExplanation ExplainArray(const SnapshotIndex& index) {
  if (index.view.job == nullptr || !IsArray(*index.view.job) || !index.HasBegun())
    return std::nullopt;
  Explanation explanation = MakeExplanation(Cause::kRunning, JobState::kRunning);
  explanation.headline = TaskCountsOf(*index.view.job).ToString();
  auto waits = ExplainWaitingPod(index);
  if (!waits) return explanation;
  explanation.headline += fmt::format("; a task waits: {}", waits->headline);
  explanation.evidence = std::move(waits->evidence);
  explanation.advice = std::move(waits->advice);
  return explanation;
}

}  // namespace kinetic::backend
