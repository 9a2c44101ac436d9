#include "base/try.h"
#include "base/units.h"
#include "local/away.h"
#include "local/replace_file.h"
#include "record/index.h"
#include "runner/diagnostics.h"
#include "runner/keeper.h"
#include "runner/verdict.h"

#include <fmt/format.h>

#include <utility>

/// The end of a job: everything after its last attempt.
namespace kinetic::runner {

record::StoredOutcome Keeper::Complete(Outcome outcome) {
  record::StoredOutcome stored;
  stored.moments = board_.status().timeline;
  for (const auto& moment : stored.moments) {
    outcome.timeline.emplace_back(moment.name, moment.time);
  }
  if (outcome.state == JobState::kSucceeded) stored.value = value_digest_;
  stored.outcome = std::move(outcome);
  stored.written_by = "runner";
  stored.log_records = log_records_;
  return stored;
}

JobSummary Keeper::Summary(const Outcome* outcome) const {
  JobSummary summary = record::SummaryOf(record_);
  summary.state = outcome == nullptr ? JobState::kRunning : outcome->state;
  if (outcome != nullptr) summary.reason = outcome->reason;
  summary.started = board_.When("started");
  if (outcome != nullptr) summary.finished = seams_.clock.Now();
  summary.attempt = board_.status().attempt;
  return summary;
}

Status Keeper::StoreAttempt(const Outcome& outcome) {
  return collector_.WriteAttempt(Complete(outcome), {});
}

Status Keeper::StoreLeft(Outcome& outcome) {
  KINETIC_RETURN_IF_ERROR(StoreLog());
  KINETIC_RETURN_IF_ERROR(StoreOutputs(outcome));
  return StoreAttempt(outcome);
}

void Keeper::KeepOutcome(const Outcome& outcome) {
  Outcome kept = outcome;
  kept.value = {};
  DiagnoseError("keeping the outcome",
                local::ReplaceFile(seams_.fs, options_.runtime.OutcomeFile(),
                                   record::ToJson(Complete(std::move(kept))), 0600));
}

Result<bool> Keeper::StoreAll(Outcome& outcome) {
  KINETIC_RETURN_IF_ERROR(StoreValue(outcome));
  KINETIC_RETURN_IF_ERROR(StoreLog());
  KINETIC_RETURN_IF_ERROR(StoreOutputs(outcome));
  return WriteResult(outcome);
}

Status Keeper::StoreValue(Outcome& outcome) {
  if (outcome.state != JobState::kSucceeded || !value_.valid()) return {};
  auto value = value_.get();
  if (!value) {
    if (local::IsAway(value.error())) return Failure(std::move(value).error());
    FailToCollect(outcome, value.error());
  } else if (value->inline_value) {
    outcome.value = *std::move(value->inline_value);
  } else {
    value_digest_ = value->digest;
  }
  return {};
}

Status Keeper::StoreLog() {
  Status drained = uploader_.Drain();
  if (!drained && local::IsAway(drained.error())) return drained;
  DiagnoseError("storing the log", drained);
  return {};
}

Status Keeper::StoreOutputs(Outcome& outcome) {
  KINETIC_ASSIGN_OR_RETURN(const auto outputs, outputs_.Finish({}));
  board_.Note("collected", fmt::format("{} files, {}", outputs.files, FormatBytes(outputs.bytes)));
  for (const auto& path : outputs.left_out) Diagnose("left out of the outputs: " + path);
  if (!outputs.refused) return {};
  Diagnose("storing the outputs: " + outputs.refused->message);
  if (outcome.state == JobState::kSucceeded) FailToCollect(outcome, *outputs.refused);
  return {};
}

void Keeper::FailToCollect(Outcome& outcome, const Error& error) {
  const std::uint32_t attempt = outcome.attempt;
  outcome = JudgeFault(error, Phase::kCollect);
  outcome.attempt = attempt;
  MaskOutcome(outcome, options_.secrets);
  KeepOutcome(outcome);
}

Result<bool> Keeper::WriteResult(const Outcome& outcome) {
  board_.Note("finished");
  const record::StoredOutcome stored = Complete(outcome);
  result_json_ = record::ToJson(stored);
  KINETIC_ASSIGN_OR_RETURN(const bool counts, collector_.WriteResult(result_json_, {}));
  AwaitRunningIndex();
  if (counts) {
    DiagnoseError("writing the index", collector_.WriteIndex(Summary(&stored.outcome), {}));
  } else {
    Diagnose("the store has another result of the job, which counts");  // clients index it
  }
  return counts;
}

}  // namespace kinetic::runner
