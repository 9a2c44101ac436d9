#include "backend/kubernetes/diagnose/explain.h"
#include "backend/kubernetes/manifest/fallback_annotations.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::backend {

void ExplainFallbacks(Explanation& explanation, const Value& job) {
  for (const FailedAccelerator& failed : FailedAccelerators(job)) {
    explanation.evidence.push_back({.source = fmt::format("{} (tried before)", failed.accelerator),
                                    .text = failed.reason,
                                    .first = failed.until,
                                    .last = failed.until});
  }
  const std::string next = NextAccelerator(job);
  if (next.empty() || explanation.phase != Phase::kProvision) return;
  explanation.final = false;
  explanation.advice = fmt::format("a client that follows the job tries {} next{}{}", next,
                                   explanation.advice.empty() ? "" : "; ", explanation.advice);
}

}  // namespace kinetic::backend
