#include "base/try.h"
#include "base/units.h"
#include "local/away.h"
#include "local/replace_file.h"
#include "record/index.h"
#include "runner/diagnostics.h"
#include "runner/supervisor.h"

#include <fmt/format.h>

#include <utility>

/// The end of a job: everything after its last attempt.
namespace kinetic::runner {

record::StoredOutcome Supervisor::Complete(Outcome outcome) {
  record::StoredOutcome stored;
  stored.moments = board_.status().timeline;
  for (const auto& moment : stored.moments) {
    outcome.timeline.emplace_back(moment.name, moment.time);
  }
  if (outcome.state == JobState::kSucceeded) stored.value = value_digest_;
  stored.outcome = std::move(outcome);
  stored.written_by = "runner";
  stored.log_records = spool_.next_sequence();
  return stored;
}

JobSummary Supervisor::Summary(const Outcome* outcome) const {
  JobSummary summary = record::SummaryOf(record_);
  summary.state = outcome == nullptr ? JobState::kRunning : outcome->state;
  if (outcome != nullptr) summary.reason = outcome->reason;
  summary.started = board_.When("started");
  if (outcome != nullptr) summary.finished = seams_.clock.Now();
  summary.attempt = board_.status().attempt;
  return summary;
}

Status Supervisor::Settle(Outcome outcome) {
  MaskOutcome(outcome, secrets_);
  SealLog();
  Keep(outcome);
  if (const Status stored = StoreAll(outcome); !stored) {
    Show(JobState::kRunning, Phase::kCollect,
         "the store is away; the next kinetic command stores what is left: " +
             stored.error().message);
    return stored;
  }
  Show(outcome.state, outcome.phase, outcome.reason);
  ticket_.reset();
  CleanUp();
  return {};
}

void Supervisor::SealLog() {
  const Status sealed = spool_.Seal();
  if (sealed) return;
  DiagnoseError("sealing the log", sealed);
  Diagnose(fmt::format("the last {} records of the log are lost", spool_.SealWhatIsWritten()));
}

/// For whoever finishes this should the supervisor not: the outcome, without its value.
void Supervisor::Keep(const Outcome& outcome) {
  Outcome kept = outcome;
  kept.value = {};
  DiagnoseError("keeping the outcome",
                local::ReplaceFile(seams_.fs, runtime_.OutcomeFile(),
                                   record::ToJson(Complete(std::move(kept))), 0600));
}

Status Supervisor::StoreAll(Outcome& outcome) {
  KINETIC_RETURN_IF_ERROR(StoreValue(outcome));
  KINETIC_RETURN_IF_ERROR(StoreLog());
  KINETIC_RETURN_IF_ERROR(StoreOutputs(outcome));
  return WriteResult(outcome);
}

Status Supervisor::StoreValue(Outcome& outcome) {
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

Status Supervisor::StoreLog() {
  Status drained = uploader_.Drain();
  if (!drained && local::IsAway(drained.error())) return drained;
  DiagnoseError("storing the log", drained);
  return {};
}

Status Supervisor::StoreOutputs(Outcome& outcome) {
  KINETIC_ASSIGN_OR_RETURN(const auto outputs, outputs_.Finish({}));
  board_.Note("collected", fmt::format("{} files, {}", outputs.files, FormatBytes(outputs.bytes)));
  for (const auto& path : outputs.left_out) Diagnose("left out of the outputs: " + path);
  if (!outputs.refused) return {};
  Diagnose("storing the outputs: " + outputs.refused->message);
  if (outcome.state == JobState::kSucceeded) FailToCollect(outcome, *outputs.refused);
  return {};
}

void Supervisor::FailToCollect(Outcome& outcome, const Error& error) {
  const std::uint32_t attempt = outcome.attempt;
  outcome = JudgeFault(error, Phase::kCollect);
  outcome.attempt = attempt;
  MaskOutcome(outcome, secrets_);
  Keep(outcome);
}

Status Supervisor::WriteResult(const Outcome& outcome) {
  board_.Note("finished");
  const record::StoredOutcome stored = Complete(outcome);
  KINETIC_ASSIGN_OR_RETURN(const bool counts, collector_.WriteResult(stored, {}));
  AwaitRunningIndex();
  if (counts) {
    DiagnoseError("writing the index", collector_.WriteIndex(Summary(&stored.outcome), {}));
  } else {
    Diagnose("the store has another result of the job, which counts");  // clients index it
  }
  return {};
}

/// What a client needs no more; the folder itself is the client's to remove.
void Supervisor::CleanUp() {
  for (const Path& folder :
       {runtime_.Work(), runtime_.Home(), runtime_.Temporary(), runtime_.Output(),
        runtime_.Exchange(), runtime_.Data(), runtime_.Checkpoints()}) {
    DiagnoseError("cleaning up", RemoveTree(seams_.fs, folder));
  }
}

}  // namespace kinetic::runner
