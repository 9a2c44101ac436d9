#include "job/explain.h"

#include "base/try.h"
#include "job/outcome.h"
#include "job/summary.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinetic::job {
namespace {

/// What kinetic's own exit codes tell of a job's end: docs/reference/exit-codes.md.
struct End {
  int exit_code;
  Cause cause;
  std::string_view advice;
};

constexpr std::array kEnds = {
    End{121, Cause::kTooLate,
        "give it longer with 'timeouts.pending', or ask for what can be had sooner"},
    End{122, Cause::kPreempted,
        "allow more attempts with 'retry.attempts'; checkpoints let them go on where it was"},
    End{123, Cause::kBeforeUserCode, "'kinetic logs' shows what went wrong before it began"},
    End{124, Cause::kTimeLimit, "give it longer with 'timeouts.run'"},
    End{kExitLost, Cause::kLost, "run it again; 'kinetic logs' shows what was kept of its log"},
    End{126, Cause::kCancelled, ""},
};

constexpr std::string_view kOutOfMemory = "killed: used more than its memory limit";

End EndOf(const Outcome& outcome) {
  if (outcome.state == JobState::kSucceeded) return {0, Cause::kSucceeded, ""};
  if (outcome.state == JobState::kCancelled) return kEnds.back();
  if (outcome.exit_source == ExitSource::kException) {
    return {1, Cause::kException, "'kinetic result' shows its traceback"};
  }
  if (outcome.exit_source == ExitSource::kKinetic) {
    const auto* const known = std::ranges::find(kEnds, outcome.exit_code, &End::exit_code);
    if (known != kEnds.end()) return *known;
  }
  if (outcome.reason.starts_with(kOutOfMemory)) {
    return {outcome.exit_code, Cause::kOutOfMemory, "give it more with 'resources.memory'"};
  }
  return {outcome.exit_code, Cause::kProgram, "'kinetic logs' shows what it said"};
}

Explanation FromResult(const record::StoredOutcome& stored) {
  const Outcome& outcome = stored.outcome;
  const End end = EndOf(outcome);
  Explanation explanation{.cause = end.cause,
                          .state = outcome.state,
                          .phase = outcome.phase,
                          .headline = outcome.reason,
                          .advice = std::string(end.advice),
                          .final = true};
  if (explanation.headline.empty()) explanation.headline = Name(outcome.state);
  const auto finished = std::ranges::find(stored.moments, "finished", &record::Moment::name);
  if (finished != stored.moments.end()) explanation.since = finished->time;
  if (!stored.evidence.empty()) {
    explanation.evidence.push_back({.source = "result.json, written by the " + stored.written_by,
                                    .text = stored.evidence,
                                    .first = explanation.since,
                                    .last = explanation.since});
  }
  return explanation;
}

/// Whether a result tells how the job ended only from outside: the target may know more.
bool IsVague(Cause cause) {
  return cause == Cause::kLost || cause == Cause::kProgram || cause == Cause::kPreempted ||
         cause == Cause::kOutOfMemory || cause == Cause::kTooLate ||
         cause == Cause::kBeforeUserCode;
}

Result<Explanation> ExplainEnd(Context& context, std::string_view id,
                               const record::StoredOutcome& stored, std::stop_token stop) {
  Explanation explanation = FromResult(stored);
  if (!IsVague(explanation.cause)) return explanation;
  KINETIC_ASSIGN_OR_RETURN(auto seen, context.target->Explain(id, std::move(stop)));
  if (!seen || !seen->final || seen->evidence.empty()) return explanation;
  // The result is the truth about the end; of the target only what stands behind it.
  seen->state = explanation.state;
  if (seen->cause == Cause::kProgram) seen->headline = explanation.headline;
  return *std::move(seen);
}

Explanation Unseen(const JobSummary& summary) {
  return {.cause = Cause::kNothingSeen,
          .state = summary.state,
          .phase = Phase::kSubmit,
          .headline = "the target does not know it yet: it is being submitted, or was a moment ago",
          .since = summary.created};
}

}  // namespace

Result<Explanation> ExplainJob(Context& context, JobSummary known, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const JobSummary summary, Refresh(context, std::move(known), stop));
  KINETIC_ASSIGN_OR_RETURN(const auto stored, ReadResult(*context.store, summary.id, stop));
  if (stored) return ExplainEnd(context, summary.id, *stored, std::move(stop));
  KINETIC_ASSIGN_OR_RETURN(auto explanation, context.target->Explain(summary.id, stop));
  if (explanation) return *std::move(explanation);
  KINETIC_ASSIGN_OR_RETURN(const auto elsewhere, RunsElsewhere(context, summary.id, stop));
  if (!elsewhere) return Unseen(summary);
  return Explanation{.cause = Cause::kElsewhere,
                     .state = summary.state,
                     .phase = Phase::kRun,
                     .headline = "it runs elsewhere: " + *elsewhere,
                     .advice = "ask there, or use the profile it was submitted with (--target)"};
}

}  // namespace kinetic::job
