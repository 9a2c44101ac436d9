#include "runner/supervisor.h"

#include "base/try.h"
#include "base/units.h"
#include "record/index.h"
#include "record/layout.h"
#include "runner/diagnostics.h"
#include "runner/job_program.h"
#include "runner/launcher.h"
#include "runner/upkeep.h"
#include "store/bucket_location.h"

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

std::optional<WallTime> PendingUntil(const record::Record& record) {
  if (!record.spec.timeouts.pending) return std::nullopt;
  return record.created + *record.spec.timeouts.pending;
}

/// Path arguments as the program sees them.
Value Resolved(const Value& value, const JobCall& call) {
  if (const auto* list = value.AsList()) {
    Value::List items;
    for (const auto& item : *list) items.push_back(Resolved(item, call));
    return items;
  }
  const auto* map = value.AsMap();
  if (map == nullptr) return value;
  const Value* path = value.Find("$path");
  if (map->size() == 1 && path != nullptr && path->AsString() != nullptr) {
    return Value::Map{{"$path", ResolvePath(call, *path->AsString())}};
  }
  Value::Map members;
  for (const auto& [key, item] : *map) members.emplace_back(key, Resolved(item, call));
  return members;
}

Arguments Resolved(const Arguments& arguments, const JobCall& call) {
  Arguments resolved;
  for (const auto& value : arguments.positional) {
    resolved.positional.push_back(Resolved(value, call));
  }
  for (const auto& [name, value] : arguments.named) {
    resolved.named.emplace_back(name, Resolved(value, call));
  }
  return resolved;
}

/// A bucket that answers is the right one; a folder may be there without the disk that belongs on
/// it.
std::string ProofFor(const store::Store& store, const std::string& id) {
  return store::IsBucketLocation(store.Location()) ? "" : record::RecordName(id);
}

/// Whether something of the program may have been ended in the middle of writing. A shell gives
/// the death of what it ran as 128 and the signal's number, which is at most 64.
bool WasKilled(const ProgramEnd& end) {
  const int shell = end.exit.ShellCode();
  return (shell > 128 && shell <= 128 + 64) || end.left_behind > 0 ||
         end.lingered != Lingered::kNot;
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
      board_(seams.fs, seams.clock, runtime_.StatusFile(), record.id),
      store_(seams.store, seams.clock,
             {.proof = ProofFor(seams.store, record.id),
              .stopped = stopped_.get_token(),
              .on_wait =
                  [this](std::string_view reason) {
                    DiagnoseError("showing the status", board_.Interject(reason));
                  }}),
      collector_({store_, seams.fs, seams.clock, seams.cloud}, record, runtime_,
                 request_.data_cache),
      checkpoints_({store_, seams.fs, seams.clock},
                   {runtime_.Checkpoints(), runtime_.folder / "checkpoints.cache", record.id}),
      outputs_({store_, seams.fs, seams.clock}, {runtime_.Output(), record.id}),
      uploader_(store_, seams.fs, seams.clock, {runtime_.Spool(), record.id, 0}),
      spool_(seams.fs, runtime_.Spool(),
             [this](const SpooledSegment& segment) { uploader_.Take(segment); }),
      capture_(spool_, seams.clock, secrets_) {}

void Supervisor::Show(JobState state, Phase phase, std::string_view reason) {
  board_.CountRecords(spool_.next_sequence());
  DiagnoseError("showing the status", board_.Show(state, phase, reason));
}

Status Supervisor::Announce() { return board_.Show(JobState::kQueued, Phase::kQueue, {}); }

Status Supervisor::Run() {
  auto interruption = Interruption::Begin(runtime_, seams_.clock, PendingUntil(record_));
  if (!interruption) return Settle(JudgeFault(interruption.error(), Phase::kQueue));
  interruption_ = *std::move(interruption);
  const std::stop_callback on_stop(interruption_->stop(), [this] {
    stopped_.request_stop();
    uploader_.Hurry();
  });
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
        Show(JobState::kQueued, Phase::kQueue,
             fmt::format("waiting for {} {}", jobs, jobs == 1 ? "job" : "jobs"));
      },
      interruption_->stop()));
  board_.Note("dequeued");
  return {};
}

Outcome Supervisor::RunAttempts() {
  for (std::uint32_t attempt = 1;; ++attempt) {
    Outcome outcome = RunAttempt(attempt);
    outcome.attempt = attempt;
    MaskOutcome(outcome, secrets_);
    if (!WantsRetry(record_.spec.retry, outcome, attempt)) return outcome;
    const std::string note = fmt::format("attempt {} of {}: {}; trying again", attempt,
                                         record_.spec.retry.attempts, outcome.reason);
    board_.Note("retried", outcome.reason);
    DiagnoseError("noting a retry", capture_.Note(note));
    DiagnoseError("sealing the log", spool_.Seal());
    DiagnoseError("storing an attempt", collector_.WriteAttempt(Complete(outcome), {}));
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
  board_.BeginAttempt(attempt);
  value_ = {};
  Phase phase = Phase::kPull;
  const auto arguments = Prepare(attempt, phase);
  if (!arguments) return JudgeFaultOrStop(arguments.error(), phase);
  if (interruption_->cause() != Cause::kNone) {
    return JudgeInterruption(record_.spec, interruption_->cause(), Phase::kStart);
  }
  auto end = Launch(*arguments, attempt);
  if (!end) {
    const bool began = board_.status().phase == Phase::kRun;
    return JudgeFaultOrStop(end.error(), began ? Phase::kRun : Phase::kStart);
  }
  return Judge(*end);
}

Result<std::string> Supervisor::LayDown(const std::stop_token& stop) {
  FetchBoard board(board_, seams_.clock);
  return collector_.LayDown(board, stop);
}

Result<Arguments> Supervisor::Prepare(std::uint32_t attempt, Phase& phase) {
  const std::stop_token stop = interruption_->stop();
  Show(JobState::kPending, Phase::kPull, "taking the job");
  KINETIC_RETURN_IF_ERROR(collector_.Claim(attempt, identity_, stop));
  board_.Note("claimed");
  KINETIC_RETURN_IF_ERROR(spool_.BeginAttempt(attempt));
  KINETIC_ASSIGN_OR_RETURN(const std::string detail, LayDown(stop));
  board_.Note("unpacked", detail);
  KINETIC_ASSIGN_OR_RETURN(const auto restored, checkpoints_.Restore(attempt, stop));
  if (restored) {
    board_.Note("restored", *restored);
    KINETIC_RETURN_IF_ERROR(capture_.Note("restored " + *restored));
  }
  KINETIC_ASSIGN_OR_RETURN(Arguments arguments, collector_.FetchArguments(stop));
  phase = Phase::kStart;
  return arguments;
}

Result<Program> Supervisor::MakeProgram(const Arguments& arguments, std::uint32_t attempt) {
  const std::string base = seams_.store.Location() + "/";
  const JobCall call{record_,
                     request_,
                     runtime_,
                     arguments,
                     attempt,
                     base + std::string(record::kOutputPrefix) + record_.id,
                     base + "checkpoints/" + record_.id};
  KINETIC_ASSIGN_OR_RETURN(Program program, JobProgram(call));
  if (!program.control) return program;
  KINETIC_RETURN_IF_ERROR(WriteShim(seams_.fs, runtime_));
  const Path file = runtime_.Exchange() / "arguments.json";
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, seams_.fs.Open(file, OpenMode::kTruncate, 0600));
  KINETIC_RETURN_IF_ERROR(
      seams_.fs.Write(fd.get(), record::ArgumentsToJson(Resolved(arguments, call))));
  return program;
}

void Supervisor::BeginRunning() {
  interruption_->Begun();
  board_.Note("started");
  Show(JobState::kRunning, Phase::kRun, {});
  AwaitRunningIndex();
  // Beside the program, once: nobody depends on it, and a store that is away keeps nothing waiting.
  running_index_ = std::async(std::launch::async, [this, summary = Summary(nullptr)]() -> Status {
    KINETIC_ASSIGN_OR_RETURN(const auto there,
                             seams_.store.Stat(record::RecordName(record_.id), {}));
    if (!there) return {};
    return record::WriteIndex(seams_.store, summary, {});
  });
}

void Supervisor::AwaitRunningIndex() {
  if (running_index_.valid()) DiagnoseError("writing the index", running_index_.get());
}

/// On a thread of its own: neither the program nor its log waits for the store.
void Supervisor::BeginStoringValue(std::uint32_t attempt) {
  if (value_.valid()) return;  // it is told of once; more is the program's own invention
  board_.Note("returned");
  Show(JobState::kRunning, Phase::kRun, {});
  value_ = std::async(std::launch::async,
                      [this, attempt] { return collector_.StoreValue(attempt, {}); });
}

Result<ProgramEnd> Supervisor::Launch(const Arguments& arguments, std::uint32_t attempt) {
  KINETIC_ASSIGN_OR_RETURN(const Program program, MakeProgram(arguments, attempt));
  LaunchLimits limits;
  limits.run = record_.spec.timeouts.run;
  limits.grace = record_.spec.timeouts.grace;
  limits.memory_bytes = record_.spec.resources.memory_bytes;
  const Upkeep upkeep(seams_.clock,
                      {{"saving a checkpoint", [this] { return checkpoints_.Look({}); }},
                       {"storing outputs", [this] { return outputs_.Look({}); }}});
  Launcher launcher(capture_, seams_.clock);
  return launcher.Run(
      program, limits, fmt::format("kinetic-{}-{}", record_.id, attempt),
      {.started = [&] { BeginRunning(); }, .returned = [&] { BeginStoringValue(attempt); }},
      interruption_->stop());
}

void Supervisor::Explain(const ProgramEnd& end) {
  std::vector<std::string> notes;
  if (end.lingered == Lingered::kGrace) {
    notes.push_back(fmt::format("ended by kinetic: still running {} after the function returned",
                                FormatDuration(record_.spec.timeouts.grace)));
  } else if (end.lingered == Lingered::kRunLimit) {
    notes.push_back(fmt::format(
        "ended by kinetic: the function had returned, but the program still ran when timeouts.run, "
        "{}, was over",
        FormatDuration(*record_.spec.timeouts.run)));
  }
  if (end.left_behind > 0 && !end.stopped && !end.out_of_time) {
    notes.push_back(fmt::format("ended by kinetic: {} {} that the program left behind",
                                end.left_behind, end.left_behind == 1 ? "process" : "processes"));
  }
  for (const auto& note : notes) DiagnoseError("noting", capture_.Note(note));
  board_.Note("ended", "peak memory " + FormatBytes(end.peak_memory_bytes));
}

Outcome Supervisor::Judge(const ProgramEnd& end) {
  Explain(end);
  DiagnoseError("sealing the log", spool_.Seal());
  Show(JobState::kRunning, Phase::kCollect, "collecting");
  Outcome outcome = JudgeProgram(record_.spec, end, interruption_->cause());
  // Nobody goes on from where a job was that has succeeded.
  if (outcome.state != JobState::kSucceeded) FinishCheckpoints(end);
  return outcome;
}

void Supervisor::FinishCheckpoints(const ProgramEnd& end) {
  const Status saved = checkpoints_.Finish(WasKilled(end), {});
  if (saved) return;
  DiagnoseError("saving a checkpoint", saved);
  DiagnoseError("noting", capture_.Note("the checkpoint was not saved: " + saved.error().message));
  DiagnoseError("sealing the log", spool_.Seal());
}

}  // namespace kinetic::runner
