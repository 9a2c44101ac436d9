#include "backend/kubernetes/diagnose/explain.h"

#include "backend/kubernetes/manifest/fallback_annotations.h"
#include "base/strings.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace kinetic::backend {
namespace {

/// In order of reliability: an end is final, a suspended Job has no pods, an unresponsive node does
/// not update its containers, and the autoscaler knows more than the scheduler.
constexpr std::array kSources = {&ExplainEnd,        &ExplainQueue,      &ExplainArray,
                                 &ExplainNode,       &ExplainContainers, &ExplainAutoscaler,
                                 &ExplainScheduling, &ExplainCreation};

/// Whether timeouts.pending has passed by the server's clock and the program has not started.
bool IsTooLate(const SnapshotView& view) {
  if (view.job == nullptr || !view.requested.pending) return false;
  if (SnapshotIndex(view).HasBegun()) return false;
  const auto submitted = SubmittedAt(*view.job);
  return submitted && view.now - *submitted >= *view.requested.pending;
}

}  // namespace

Explanation ExplainWithoutFallbacks(const SnapshotView& view) {
  const SnapshotIndex index(view);
  for (const auto explain : kSources) {
    if (auto explanation = explain(index)) return *std::move(explanation);
  }
  return MakeExplanation(Cause::kNoStatus, JobState::kPending);
}

Explanation Explain(const SnapshotView& view) {
  Explanation explanation = ExplainWithoutFallbacks(view);
  const bool waits = !IsTerminal(explanation.state) && !SnapshotIndex(view).HasBegun();
  if (waits && view.job != nullptr) ExplainFallbacks(explanation, *view.job);
  return explanation;
}

std::optional<Explanation> GiveUp(const SnapshotView& view) {
  Explanation explanation = Explain(view);
  if (IsTerminal(explanation.state)) return std::nullopt;
  if (IsTooLate(view)) {
    explanation.headline =
        fmt::format("did not start within timeouts.pending ({}): {}",
                    FormatDuration(*view.requested.pending), explanation.headline);
    explanation.final = true;
    return explanation;
  }
  if (!explanation.final || SnapshotIndex(view).HasBegun()) return std::nullopt;
  explanation.headline = "cannot start: " + explanation.headline;
  return explanation;
}

}  // namespace kinetic::backend
