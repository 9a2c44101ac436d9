#include "target/local_explain.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinetic::target {
namespace {

constexpr std::string_view kStorePrefix = "waiting for the store: ";

/// What a cause of this machine says in general; an empty headline: the supervisor's own words.
struct Said {
  Cause cause;
  std::string_view headline;
  std::string_view advice;
};

Said SaidOf(const record::AttemptStatus& status) {
  if (status.reason.starts_with(kStorePrefix)) {
    return {Cause::kStoreAway, "",
            "it goes on by itself when the store answers; check its disk, or the connection to it"};
  }
  if (status.state == JobState::kQueued && !status.reason.empty()) {
    return {Cause::kJobsAhead, "",
            "'kinetic ps' shows them; a profile's 'concurrency' says how many run at once"};
  }
  switch (status.state) {
    case JobState::kQueued:
    case JobState::kPending:
      return {Cause::kStarting, "it is about to start", ""};
    case JobState::kRunning:
      if (status.phase == Phase::kCollect) {
        return {Cause::kCollecting, "its program has ended; what it left is being stored", ""};
      }
      return {Cause::kRunning, "it runs", ""};
    default:
      return {Cause::kCollecting, "it has ended; its result is being stored", ""};
  }
}

}  // namespace

Explanation ExplainLocal(const Observation& observation) {
  const record::AttemptStatus& status = observation.status;
  Explanation explanation{.state = status.state, .phase = status.phase};
  if (!observation.alive) {
    explanation.cause = Cause::kLost;
    explanation.headline = "nothing works on it any more";
    explanation.advice = "the next command that asks for jobs settles it; its log is kept";
    explanation.final = true;
    return explanation;
  }
  const Said said = SaidOf(status);
  explanation.cause = said.cause;
  explanation.headline = said.headline;
  explanation.advice = said.advice;
  if (!status.reason.empty()) {
    if (explanation.cause == Cause::kStarting || explanation.headline.empty()) {
      explanation.headline = status.reason;
    }
    explanation.evidence.push_back(
        {.source = "status.json of the supervisor", .text = status.reason});
  }
  if (!status.timeline.empty()) explanation.since = status.timeline.back().time;
  return explanation;
}

}  // namespace kinetic::target
