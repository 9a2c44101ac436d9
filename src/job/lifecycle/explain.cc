#include "kinetic/try.h"

#include "backend/cause_text.h"
#include "base/strings.h"
#include "job/lifecycle/outcome.h"
#include "job/summary.h"
#include "record/outcome.h"
#include "record/task_id.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::job {
namespace {

/// Explanations of kinetic's exit codes: docs/reference/exit-codes.md.
constexpr std::array kExitCauses = {
    std::pair(record::kExitNotStored, Cause::kNotStored),
    std::pair(record::kExitTooLate, Cause::kStartTimeout),
    std::pair(record::kExitPreempted, Cause::kPreempted),
    std::pair(record::kExitBeforeUserCode, Cause::kBeforeUserCode),
    std::pair(record::kExitTimeLimit, Cause::kTimeLimit),
    std::pair(record::kExitLost, Cause::kLost),
    std::pair(record::kExitCancelled, Cause::kCancelled),
};

/// Prefix of the runner's message for a program that exceeded its memory limit.
constexpr std::string_view kOutOfMemory = "killed: exceeded its memory limit";

/// Part of the message for a value that was not written to a full disk.
constexpr std::string_view kDiskFull = "No space left on device";

Cause CauseOf(const Outcome& outcome) {
  if (outcome.state == JobState::kSucceeded) return Cause::kSucceeded;
  if (outcome.state == JobState::kCancelled) return Cause::kCancelled;
  if (outcome.exit_source == ExitSource::kException) return Cause::kException;
  if (outcome.exit_source == ExitSource::kKinetic) {
    const auto* const known =
        std::ranges::find(kExitCauses, outcome.exit_code, &std::pair<int, Cause>::first);
    if (known != kExitCauses.end()) return known->second;
    if (outcome.exit_code == record::kExitException && outcome.phase == Phase::kCollect)
      return outcome.reason.find(kDiskFull) == std::string::npos ? Cause::kNotSerializable
                                                                 : Cause::kNotStored;
  }
  return outcome.reason.starts_with(kOutOfMemory) ? Cause::kOutOfMemory : Cause::kProgram;
}

Explanation FromResult(const record::StoredOutcome& stored) {
  const Outcome& outcome = stored.outcome;
  const Cause cause = CauseOf(outcome);
  const backend::CauseText& text = backend::TextOf(cause);
  Explanation explanation{.cause = cause,
                          .state = outcome.state,
                          .phase = outcome.phase,
                          .headline = outcome.reason,
                          .advice = std::string(text.advice),
                          .final = true};
  if (explanation.headline.empty()) explanation.headline = text.headline;
  const auto finished = std::ranges::find(stored.moments, "finished", &record::Moment::name);
  if (finished != stored.moments.end()) explanation.since = finished->time;
  if (cause == Cause::kSucceeded) return explanation;
  explanation.evidence.push_back(
      {.source = "the result, stored by the " + stored.written_by,
       .text = stored.evidence.empty() ? explanation.headline : stored.evidence,
       .first = explanation.since,
       .last = explanation.since});
  return explanation;
}

/// Returns whether the result only describes the end from outside, so that the target may have
/// details.
bool IsVague(Cause cause) {
  return cause == Cause::kLost || cause == Cause::kProgram || cause == Cause::kPreempted ||
         cause == Cause::kOutOfMemory || cause == Cause::kStartTimeout ||
         cause == Cause::kBeforeUserCode;
}

Result<Explanation> ExplainEnd(Context& context, std::string_view id,
                               const record::StoredOutcome& stored, std::stop_token stop) {
  Explanation explanation = FromResult(stored);
  if (!IsVague(explanation.cause)) return explanation;
  KINETIC_ASSIGN_OR_RETURN(auto seen, context.target->Explain(id, std::move(stop)));
  if (!seen || !seen->final || seen->evidence.empty()) return explanation;
  // The result is authoritative. The target only adds evidence.
  seen->state = explanation.state;
  if (seen->cause == Cause::kProgram) seen->headline = explanation.headline;
  return *std::move(seen);
}

Explanation ExplainMissingResult(const record::StoredOutcome& indexed) {
  Explanation explanation = FromResult(indexed);
  if (explanation.headline == indexed.evidence) explanation.headline = Name(explanation.state);
  if (indexed.outcome.state == JobState::kFailed) explanation.cause = Cause::kNoStatus;
  explanation.evidence = {{.source = "the store", .text = indexed.evidence}};
  explanation.advice = "restore the object, or run the job again";
  return explanation;
}

Explanation ExplainUnknownJob(const JobSummary& summary, bool is_incomplete) {
  return {.cause = Cause::kNoStatus,
          .state = summary.state,
          .phase = Phase::kSubmit,
          .headline = is_incomplete ? "its submission was interrupted"
                                    : "not on the target yet: the job is being submitted",
          .advice = is_incomplete ? "to remove it: kinetic rm " + summary.id : std::string(),
          .since = summary.created,
          .final = is_incomplete};
}

/// Explains a task that waits, or that the job skipped.
Explanation ExplainWaitingTask(const JobSummary& task, std::string_view job) {
  const bool is_final = IsTerminal(task.state);
  return {.cause = is_final ? Cause::kCancelled : Cause::kJobsAhead,
          .state = task.state,
          .phase = Phase::kQueue,
          .headline = task.reason,
          .advice = is_final ? std::string() : fmt::format("see 'kinetic status {}'", job),
          .since = task.created,
          .final = is_final};
}

Explanation ExplainNotStored(const JobSummary& summary, const Error& why) {
  return {.cause = Cause::kStoreUnavailable,
          .state = summary.state,
          .phase = Phase::kCollect,
          .headline = summary.reason,
          .evidence = {{.source = "the store", .text = why.message}},
          .advice = why.hint};
}

/// Its containers run, but its collector has not claimed an attempt, which is its first request.
Explanation ExplainPodWithoutStore(const Context& context, Explanation running) {
  running.cause = Cause::kStoreUnavailable;
  running.phase = Phase::kPull;
  running.headline = "its pod has started, but has not reached the store";
  running.evidence.push_back(
      {.source = "the store",
       .text = fmt::format("{} has no claim of an attempt", context.store->Location())});
  running.advice =
      "wait a moment; then check whether pods can reach the store: kinetic doctor --pod";
  return running;
}

Result<Explanation> ExplainState(Context& context, JobSummary known, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const CurrentState current,
                           RefreshState(context, std::move(known), stop));
  const JobSummary& summary = current.summary;
  if (current.not_stored) return ExplainNotStored(summary, *current.not_stored);
  KINETIC_ASSIGN_OR_RETURN(const auto stored, ReadResult(context, summary.id, stop));
  if (stored) return ExplainEnd(context, summary.id, *stored, std::move(stop));
  KINETIC_ASSIGN_OR_RETURN(const auto indexed, ReadEndFromIndex(context, summary.id, stop));
  if (indexed) return ExplainMissingResult(*indexed);
  KINETIC_ASSIGN_OR_RETURN(auto explanation, context.target->Explain(summary.id, stop));
  if (explanation && explanation->cause == Cause::kRunning && context.target->Traits().is_remote) {
    KINETIC_ASSIGN_OR_RETURN(const bool has_begun, HasAttempt(context, summary.id, stop));
    if (!has_begun) return ExplainPodWithoutStore(context, *std::move(explanation));
  }
  if (explanation) return *std::move(explanation);
  if (const auto task = record::ParseTaskId(summary.id)) {
    return ExplainWaitingTask(summary, task->job);
  }
  KINETIC_ASSIGN_OR_RETURN(const auto elsewhere, WhyUnobservable(context, summary.id, stop));
  if (!elsewhere) {
    KINETIC_ASSIGN_OR_RETURN(const bool is_incomplete,
                             IsIncompleteSubmission(context, summary, stop));
    return ExplainUnknownJob(summary, is_incomplete);
  }
  return Explanation{.cause = Cause::kElsewhere,
                     .state = summary.state,
                     .phase = Phase::kRun,
                     .headline = elsewhere->message,
                     .advice = elsewhere->hint};
}

/// Replaces the placeholder in the commands of a CauseText.
std::string WithId(std::string advice, std::string_view id) {
  constexpr std::string_view kPlaceholder = " ID'";
  const auto at = advice.find(kPlaceholder);
  if (at == std::string::npos) return advice;
  const auto task = record::ParseTaskId(id);
  const std::string words =
      task ? fmt::format("{} --task {}", task->job, task->task) : std::string(id);
  return advice.replace(at, kPlaceholder.size(), fmt::format(" {}'", words));
}

/// Names the jobs that a queued job waits for, in the headline and in the advice.
Status NameBlockingJobs(Context& context, Explanation& explanation, const std::stop_token& stop) {
  if (explanation.blocked_by.empty()) return {};
  std::vector<std::string> names;
  for (const std::string& id : explanation.blocked_by) {
    const auto record = ReadRecord(*context.store, id, stop);
    if (!record && record.error().code == ErrorCode::kCancelled) return Failure(record.error());
    const bool known = record && *record;  // a job of another store runs here too
    names.push_back(known ? fmt::format("{} ({})", id, (*record)->spec.name) : id);
  }
  explanation.headline += fmt::format("; running: {}", Join(names, ", "));
  constexpr std::string_view kCommand = "'kinetic cancel'";
  const auto at = explanation.advice.find(kCommand);
  if (at == std::string::npos || names.size() > 1) return {};
  explanation.advice.replace(at, kCommand.size(),
                             fmt::format("'kinetic cancel {}'", explanation.blocked_by.front()));
  return {};
}

}  // namespace

Result<Explanation> ExplainJob(Context& context, JobSummary known, std::stop_token stop) {
  const std::string id = known.id;
  KINETIC_ASSIGN_OR_RETURN(auto explanation, ExplainState(context, std::move(known), stop));
  explanation.advice = WithId(std::move(explanation.advice), id);
  KINETIC_RETURN_IF_ERROR(NameBlockingJobs(context, explanation, stop));
  KINETIC_ASSIGN_OR_RETURN(explanation.asked, context.store->Now(std::move(stop)));
  return explanation;
}

}  // namespace kinetic::job
