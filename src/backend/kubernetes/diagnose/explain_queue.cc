#include "backend/cause_text.h"
#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/diagnose/patterns.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::backend {
namespace {

std::string PlaceOf(const Value& workload, const Value& pending) {
  for (const Value& item : ListAt(pending, {"items"})) {
    if (NameOf(item) != NameOf(workload)) continue;
    const auto place = IntAt(item, {"positionInLocalQueue"});
    if (place) return fmt::format("{} ahead in the queue", *place);  // from 0
  }
  return {};
}

/// Returns the condition with the state of admission: evicted, or no quota yet.
const Value* Decisive(const Value& workload) {
  if (IsConditionTrue(workload, "Evicted") && !IsConditionTrue(workload, "Admitted")) {
    return ConditionOf(workload, "Evicted");
  }
  const Value* reserved = ConditionOf(workload, "QuotaReserved");
  const Value* admitted = ConditionOf(workload, "Admitted");
  return IsConditionTrue(workload, "QuotaReserved") && admitted != nullptr ? admitted : reserved;
}

Explanation InQueue(const SnapshotIndex& index, std::string_view queue) {
  Explanation explanation = MakeExplanation(Cause::kQueue, JobState::kQueued);
  explanation.since = TimeAt(*index.view.job, {"metadata", "creationTimestamp"});
  const std::string name = queue.empty() ? "the queue" : fmt::format("queue {}", queue);
  explanation.headline = fmt::format("waiting for admission by Kueue to {}", name);
  const Value* workload = index.view.workload;
  if (workload == nullptr) {
    explanation.headline += "; Kueue has not created a Workload";
    explanation.advice =
        "check that Kueue is installed and that the LocalQueue exists in the job's namespace";
    return explanation;
  }
  if (index.view.pending_workloads != nullptr) {
    explanation.progress = PlaceOf(*workload, *index.view.pending_workloads);
  }
  const Value* condition = Decisive(*workload);
  if (condition == nullptr) return explanation;
  const std::string_view message = TextAt(*condition, {"message"});
  explanation.evidence.push_back(
      ConditionEvidence(*condition, fmt::format("workload {}", NameOf(*workload))));
  if (MatchCause(SignalSource::kQueue, TextAt(*condition, {"reason"}), message) ==
      Cause::kQueueNotFound) {
    const CauseText& text = TextOf(Cause::kQueueNotFound);
    explanation.cause = Cause::kQueueNotFound;
    explanation.headline = fmt::format("{}: {}", text.headline, queue);
    explanation.advice = text.advice;
    explanation.progress.clear();
    return explanation;
  }
  if (IsConditionTrue(*workload, "Admitted")) {
    explanation.headline = "admitted by Kueue; the pod is about to be created";
    explanation.advice.clear();
  } else if (TextAt(*condition, {"type"}) == "Evicted") {
    explanation.headline = fmt::format("evicted by Kueue and requeued in {}", name);
  } else if (IsConditionTrue(*workload, "QuotaReserved")) {
    explanation.headline =
        fmt::format("Kueue has reserved quota in {} and is waiting for admission checks", name);
  }
  return explanation;
}

/// Explains a Job that a client stopped: it is suspended and annotated with the cause.
MaybeExplanation ExplainStop(const Value& job) {
  const std::string_view name = TextAt(job, {"metadata", "annotations", kStoppedAnnotation});
  if (name.empty()) return std::nullopt;
  const auto texts = CauseTexts();
  const auto text =
      std::ranges::find_if(texts, [&](const CauseText& each) { return Name(each.cause) == name; });
  const Cause cause = text == texts.end() ? Cause::kCancelled : text->cause;
  const bool cancelled = cause == Cause::kCancelled;
  Explanation explanation =
      MakeExplanation(cause, cancelled ? JobState::kCancelled : JobState::kFailed);
  explanation.final = true;
  explanation.evidence.push_back(
      {.source = fmt::format("annotation {} of job {}", kStoppedAnnotation, NameOf(job)),
       .text = std::string(name),
       .first = {},
       .last = {}});
  return explanation;
}

}  // namespace

MaybeExplanation ExplainQueue(const SnapshotIndex& index) {
  if (index.view.job == nullptr || !BoolAt(*index.view.job, {"spec", "suspend"}))
    return std::nullopt;
  if (auto stopped = ExplainStop(*index.view.job)) return stopped;
  const std::string_view queue = TextAt(*index.view.job, {"metadata", "labels", kQueueLabel});
  if (index.view.workload != nullptr || !queue.empty()) return InQueue(index, queue);
  Explanation explanation = MakeExplanation(Cause::kSuspended, JobState::kQueued);
  explanation.advice = fmt::format(
      "resume it: kubectl -n {} patch job {} -p "
      "'{{\"spec\":{{\"suspend\":false}}}}'",
      TextAt(*index.view.job, {"metadata", "namespace"}), NameOf(*index.view.job));
  if (const Value* condition = ConditionOf(*index.view.job, "Suspended")) {
    explanation.evidence.push_back(
        ConditionEvidence(*condition, fmt::format("job {}", NameOf(*index.view.job))));
    explanation.since = explanation.evidence.back().first;
  }
  return explanation;
}

}  // namespace kinetic::backend
