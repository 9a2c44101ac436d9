#include "backend/kubernetes/diagnose/explain.h"

#include "backend/kubernetes/fallback/annotations.h"
#include "base/units.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace kinetic::backend {
namespace {

/// In order of reliability: an end is final, a suspended Job has no pods, an unresponsive node does
/// not update its containers, and the autoscaler knows more than the scheduler.
constexpr std::array kLooks = {&ExplainEnd,        &ExplainQueue,      &ExplainNode,
                               &ExplainContainers, &ExplainAutoscaler, &ExplainScheduling,
                               &ExplainCreation};

/// Whether timeouts.pending has passed by the server's clock and the program has not started.
bool IsTooLate(const PodSituation& situation) {
  if (situation.job == nullptr || !situation.wanted.pending) return false;
  if (SituationView(situation).HasBegun()) return false;
  const auto submitted = SubmittedAt(*situation.job);
  return submitted && situation.now - *submitted >= *situation.wanted.pending;
}

}  // namespace

Explanation ExplainPresent(const PodSituation& situation) {
  const SituationView view(situation);
  for (const auto look : kLooks) {
    if (auto explanation = look(view)) return *std::move(explanation);
  }
  return Explained(Cause::kNothingSeen, JobState::kPending);
}

Explanation Explain(const PodSituation& situation) {
  Explanation explanation = ExplainPresent(situation);
  const bool waits = !IsTerminal(explanation.state) && !SituationView(situation).HasBegun();
  if (waits && situation.job != nullptr) ExplainChoice(explanation, *situation.job);
  return explanation;
}

std::optional<Explanation> GiveUp(const PodSituation& situation) {
  Explanation explanation = Explain(situation);
  if (IsTerminal(explanation.state)) return std::nullopt;
  if (IsTooLate(situation)) {
    explanation.headline =
        fmt::format("did not start within timeouts.pending ({}): {}",
                    FormatDuration(*situation.wanted.pending), explanation.headline);
    explanation.final = true;
    return explanation;
  }
  if (!explanation.final || SituationView(situation).HasBegun()) return std::nullopt;
  explanation.headline = "cannot start: " + explanation.headline;
  return explanation;
}

}  // namespace kinetic::backend
