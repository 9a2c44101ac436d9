#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/fallback/annotations.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::backend {

void ExplainChoice(Explanation& explanation, const Value& job) {
  for (const Tried& tried : TriedBefore(job)) {
    explanation.evidence.push_back({.source = fmt::format("{} (tried before)", tried.accelerator),
                                    .text = tried.reason,
                                    .first = tried.until,
                                    .last = tried.until});
  }
  const std::string next = NextAccelerator(job);
  if (next.empty() || explanation.phase != Phase::kProvision) return;
  explanation.final = false;
  explanation.advice = fmt::format("a client that follows the job tries {} next{}{}", next,
                                   explanation.advice.empty() ? "" : "; ", explanation.advice);
}

}  // namespace kinetic::backend
