#include "runner/supervisor.h"

#include "base/try.h"
#include "base/units.h"
#include "runner/diagnostics.h"
#include "runner/launcher.h"
#include "runner/program_notes.h"
#include "runner/program_setup.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::runner {
namespace {

std::vector<std::string> SecretValues(const local::LaunchRequest& request) {
  std::vector<std::string> values;
  values.reserve(request.secrets.size());
  for (const auto& [name, value] : request.secrets) values.push_back(value);
  return MaskableSecrets(std::move(values));
}

}  // namespace

Supervisor::Supervisor(Collector::Seams seams, local::LaunchRequest request,
                       const record::Record& record, local::SupervisorIdentity identity)
    : seams_(seams),
      request_(std::move(request)),
      record_(record),
      identity_(std::move(identity)),
      runtime_(local::RuntimeOf(request_.state_dir, record.id)),
      secrets_(SecretValues(request_)),
      keeper_(seams, record, {runtime_, {.data_cache = request_.data_cache}, secrets_, {}}),
      spool_(seams.fs, runtime_.Spool(),
             [this](const SpooledSegment& segment) { keeper_.Take(segment); }),
      capture_(spool_, seams.clock, secrets_) {}

Status Supervisor::Announce() { return keeper_.board().Show(JobState::kQueued, Phase::kQueue, {}); }

Status Supervisor::Run() {
  auto interruption = Interruption::Begin(runtime_, seams_.clock, PendingUntil(record_));
  if (!interruption) return Settle(JudgeFault(interruption.error(), Phase::kQueue));
  interruption_ = *std::move(interruption);
  const std::stop_callback on_stop(interruption_->stop(), [this] { keeper_.Hurry(); });
  Outcome outcome;
  if (const Status turn = AwaitTurn(); !turn) {
    outcome = JudgeFaultOrStop(turn.error(), Phase::kQueue);
  } else {
    outcome = RunAttempts();
  }
  return Settle(std::move(outcome));
}

Status Supervisor::AwaitTurn() {
  KINETIC_ASSIGN_OR_RETURN(local::QueueTicket ticket,
                           local::QueueTicket::Take(seams_.fs, request_.state_dir, record_.id));
  ticket_.emplace(std::move(ticket));
  KINETIC_RETURN_IF_ERROR(ticket_->Await(
      request_.concurrency,
      [&](std::size_t jobs) {
        keeper_.Show(JobState::kQueued, Phase::kQueue,
                     fmt::format("waiting for {} {}", jobs, jobs == 1 ? "job" : "jobs"));
      },
      interruption_->stop()));
  keeper_.board().Note("dequeued");
  return {};
}

Outcome Supervisor::RunAttempts() {
  for (std::uint32_t attempt = 1;; ++attempt) {
    Outcome outcome = RunAttempt(attempt);
    outcome.attempt = attempt;
    MaskOutcome(outcome, secrets_);
    if (!WantsRetry(record_.spec.retry, outcome, attempt)) return outcome;
    keeper_.board().Note("retried", outcome.reason);
    DiagnoseError("noting a retry", capture_.Note(RetryNote(record_.spec.retry, outcome)));
    DiagnoseError("sealing the log", spool_.Seal());
    DiagnoseError("storing an attempt", keeper_.StoreAttempt(outcome));
  }
}

Outcome Supervisor::JudgeFaultOrStop(const Error& error, Phase phase) const {
  const Cause cause = interruption_->cause();
  if (error.code == ErrorCode::kCancelled && cause != Cause::kNone) {
    return JudgeInterruption(record_.spec, cause, phase);
  }
  return JudgeFault(error, phase);
}

Outcome Supervisor::RunAttempt(std::uint32_t attempt) {
  keeper_.BeginAttempt(attempt);
  const auto arguments = Prepare(attempt);
  if (!arguments) return JudgeFaultOrStop(arguments.error(), Phase::kPull);
  if (interruption_->cause() != Cause::kNone) {
    return JudgeInterruption(record_.spec, interruption_->cause(), Phase::kStart);
  }
  auto end = Launch(*arguments, attempt);
  if (!end) {
    const bool began = keeper_.board().status().phase == Phase::kRun;
    return JudgeFaultOrStop(end.error(), began ? Phase::kRun : Phase::kStart);
  }
  return Judge(*end);
}

Result<Arguments> Supervisor::Prepare(std::uint32_t attempt) {
  const std::stop_token stop = interruption_->stop();
  keeper_.Show(JobState::kPending, Phase::kPull, "taking the job");
  KINETIC_RETURN_IF_ERROR(keeper_.collector().Claim(attempt, ToJson(identity_), stop));
  keeper_.board().Note("claimed");
  KINETIC_RETURN_IF_ERROR(spool_.BeginAttempt(attempt));
  KINETIC_ASSIGN_OR_RETURN(auto prepared, keeper_.Prepare(attempt, stop));
  if (prepared.restored) {
    KINETIC_RETURN_IF_ERROR(capture_.Note("restored " + *prepared.restored));
  }
  return std::move(prepared.arguments);
}

LaunchLimits Supervisor::Limits() const {
  LaunchLimits limits;
  limits.run = record_.spec.timeouts.run;
  limits.grace = record_.spec.timeouts.grace;
  limits.memory_bytes = record_.spec.resources.memory_bytes;
  return limits;
}

Result<ProgramEnd> Supervisor::Launch(const Arguments& arguments, std::uint32_t attempt) {
  const std::string location = seams_.store.Location();
  KINETIC_ASSIGN_OR_RETURN(
      const Program program,
      SetUpProgram({seams_.fs, location, record_, request_, runtime_, arguments, attempt}));
  const auto begin_running = [&] {
    interruption_->Begun();
    keeper_.BeginRunning();
  };
  const auto upkeep = keeper_.LookAfter();
  const LaunchLimits limits = Limits();
  Launcher launcher(capture_, seams_.clock);
  return launcher.Run(
      program, limits, fmt::format("kinetic-{}-{}", record_.id, attempt),
      {.started = begin_running, .returned = [&] { keeper_.BeginStoringValue(attempt); }},
      interruption_->stop());
}

Outcome Supervisor::Judge(const ProgramEnd& end) {
  for (const auto& note : ProgramNotes(end, Limits())) {
    DiagnoseError("noting", capture_.Note(note));
  }
  keeper_.board().Note("ended", "peak memory " + FormatBytes(end.peak_memory_bytes));
  DiagnoseError("sealing the log", spool_.Seal());
  keeper_.Show(JobState::kRunning, Phase::kCollect, "collecting");
  Outcome outcome = JudgeProgram(record_.spec, end, interruption_->cause());
  // Nobody goes on from where a job was that has succeeded.
  if (outcome.state != JobState::kSucceeded) FinishCheckpoints(end);
  return outcome;
}

void Supervisor::FinishCheckpoints(const ProgramEnd& end) {
  const Status saved = keeper_.FinishCheckpoints(WasKilled(end));
  if (saved) return;
  DiagnoseError("saving a checkpoint", saved);
  DiagnoseError("noting", capture_.Note("the checkpoint was not saved: " + saved.error().message));
  DiagnoseError("sealing the log", spool_.Seal());
}

Status Supervisor::Settle(Outcome outcome) {
  MaskOutcome(outcome, secrets_);
  capture_.Seal();
  keeper_.KeepOutcome(outcome);
  if (const auto stored = keeper_.StoreAll(outcome); !stored) {
    keeper_.Show(JobState::kRunning, Phase::kCollect,
                 "the store is away; the next kinetic command stores what is left: " +
                     stored.error().message);
    return Failure(stored.error());
  }
  keeper_.Show(outcome.state, outcome.phase, outcome.reason);
  ticket_.reset();
  CleanUp();
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
