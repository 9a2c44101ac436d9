#include "backend/cause_text.h"
#include "backend/local/target.h"

#include <string_view>

namespace kinetic::backend {
namespace {

constexpr std::string_view kStorePrefix = "waiting for the store: ";

Cause CauseOf(const record::AttemptStatus& status) {
  if (status.reason.starts_with(kStorePrefix)) return Cause::kStoreUnavailable;
  switch (status.state) {
    case JobState::kQueued:
      return status.reason.empty() ? Cause::kStarting : Cause::kJobsAhead;
    case JobState::kPending:
      return Cause::kStarting;
    case JobState::kRunning:
      return status.phase == Phase::kCollect ? Cause::kCollecting : Cause::kRunning;
    default:
      return Cause::kCollecting;
  }
}

bool IsRefused(const record::AttemptStatus& status) {
  return status.reason.find(record::kCredentialRejected) != std::string::npos;
}

constexpr std::string_view kRenewCredential =
    "log in again (gcloud auth application-default login) or renew the access token, then run "
    "'kinetic ps' to store the rest; nothing is lost";

/// Explains why a job still runs whose function has returned.
void ExplainLingering(Explanation& explanation) {
  explanation.headline =
      "the function has returned, but threads or processes of its program are still running";
  explanation.advice =
      "they are terminated after the grace period; 'kinetic cancel ID' ends them now and keeps the "
      "value";
}

/// Whether the supervisor's reason is more specific than the cause's text.
bool Tells(Cause cause) {
  return cause == Cause::kStoreUnavailable || cause == Cause::kJobsAhead ||
         cause == Cause::kStarting || cause == Cause::kRunning;
}

}  // namespace

Explanation ExplainLocal(const Observation& observation) {
  const record::AttemptStatus& status = observation.status;
  Explanation explanation{.state = status.state, .phase = status.phase};
  if (!observation.alive && status.phase == Phase::kCollect && !IsTerminal(status.state)) {
    explanation.cause = Cause::kStoreUnavailable;
    explanation.headline = "the program has ended, but its results are not stored";
    if (!status.reason.empty()) explanation.headline = status.reason;
    explanation.advice = IsRefused(status) ? kRenewCredential
                                           : "run 'kinetic ps' to store the rest; nothing is lost";
    return explanation;
  }
  if (!observation.alive) {
    explanation.cause = Cause::kLost;
    explanation.headline = "the supervisor is not running";
    explanation.advice = "run 'kinetic ps' to record the outcome; the log is kept";
    explanation.final = true;
    return explanation;
  }
  if (observation.unresponsive) {
    explanation.cause = Cause::kNoStatus;
    explanation.headline = observation.unresponsive->message;
    explanation.advice = observation.unresponsive->hint;
    return explanation;
  }
  explanation.cause = CauseOf(status);
  const CauseText& text = TextOf(explanation.cause);
  explanation.headline = text.headline;
  explanation.advice = IsRefused(status) ? kRenewCredential : text.advice;
  if (!status.reason.empty()) {
    if (Tells(explanation.cause)) explanation.headline = status.reason;
    explanation.evidence.push_back({.source = "the job's supervisor", .text = status.reason});
  }
  if (status.timeline.empty()) return explanation;
  const record::Moment& last = status.timeline.back();
  explanation.since = last.time;
  if (explanation.cause == Cause::kRunning && last.name == "returned")
    ExplainLingering(explanation);
  return explanation;
}

}  // namespace kinetic::backend
