#include "runner/local/supervisor.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "local/job_cache.h"
#include "local/process_identity.h"
#include "local/replace_file.h"
#include "record/outcome.h"
#include "record/path_references.h"
#include "runner/diagnostics.h"
#include "runner/program/command.h"
#include "runner/program/install_project.h"
#include "runner/program/layered_environment.h"
#include "runner/program/runner.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <future>
#include <utility>

namespace kinetic::runner {
namespace {

std::string CgroupName(std::string id) {
  std::ranges::replace(id, '/', '.');
  return id;
}

std::string UncollectedReason(const Error& error) {
  const bool refused = error.code == ErrorCode::kUnauthenticated;
  std::string reason("the store is unavailable");
  if (refused) reason = record::kCredentialRejected;
  if (IsDiskFull(error)) reason = "the store's disk is full";
  reason += refused ? "; the next kinetic command with a valid one stores the rest: "
                    : "; the next kinetic command stores the rest: ";
  reason += error.message;
  if (!error.hint.empty()) reason += " (" + error.hint + ")";
  return reason;
}

}  // namespace

record::Heartbeat HeartbeatOf(const record::Record& record,
                              const local::SupervisorIdentity& identity) {
  std::array<char, 256> host{};
  (void)::gethostname(host.data(), host.size() - 1);
  return {.job = KeyOf(record),
          .host = host.data(),
          .machine = local::MachineIdentity(),
          .pid = identity.pid,
          .start_time = static_cast<std::int64_t>(identity.start_time),
          .boot_id = identity.boot_id};
}

Status Announce(FileSystem& fs, Clock& clock, const local::Runtime& runtime,
                const record::JobKey& job) {
  for (const Path& file : {runtime.StatusFile(), runtime.OutcomeFile()}) {
    KINETIC_RETURN_IF_ERROR(local::ReserveSpace(fs, file));
  }
  return StatusFile(fs, clock, runtime.StatusFile(), job).Set(JobState::kQueued, Phase::kQueue, {});
}

Supervisor::Supervisor(JobStore::Dependencies deps, local::LaunchRequest request,
                       const record::Record& record, local::SupervisorIdentity identity,
                       std::optional<local::QueueTicket> ticket)
    : Supervisor(deps, request, record, std::move(identity),
                 local::RuntimeOf(request.state_dir, record.id), std::move(ticket), nullptr) {}

Supervisor::Supervisor(JobStore::Dependencies deps, local::LaunchRequest request,
                       const record::Record& record, local::SupervisorIdentity identity,
                       const local::Runtime& runtime, TaskBatch& batch)
    : Supervisor(deps, std::move(request), record, std::move(identity), runtime, std::nullopt,
                 &batch) {}

Supervisor::Supervisor(JobStore::Dependencies deps, local::LaunchRequest request,
                       const record::Record& record, local::SupervisorIdentity identity,
                       const local::Runtime& runtime, std::optional<local::QueueTicket> ticket,
                       TaskBatch* batch)
    : deps_(deps),
      request_(std::move(request)),
      record_(record),
      identity_(std::move(identity)),
      runtime_(runtime),
      secrets_(RedactableSecrets(request_.secrets)),
      in_place_(deps.fs, runtime_, request_.sources),
      lifecycle_(deps, record,
                 {runtime_,
                  {.data_cache = request_.data_cache,
                   .state_dir = request_.state_dir,
                   .sources = request_.sources,
                   .read_in_place =
                       [this](const std::string& path, const record::DataTree& data,
                              const std::stop_token& stop) {
                         return in_place_.Provide(path, data, stop);
                       }},
                  secrets_,
                  {}}),
      spool_(deps.fs, runtime_.Spool(),
             [this](const SpooledSegment& segment) { lifecycle_.OnSegment(segment); }),
      capture_(spool_, deps.clock, secrets_, runtime_.Work()),
      ticket_(std::move(ticket)),
      batch_(batch) {}

Status Supervisor::Run(std::optional<SteadyTime> start_deadline,
                       std::function<void()> await_record) {
  await_record_ = std::move(await_record);
  auto interruption =
      Interruption::Start(runtime_, deps_.clock, start_deadline, local::Pulse(deps_.fs, runtime_));
  if (!interruption) return Finish(ClassifyError(interruption.error(), Phase::kQueue));
  interruption_ = *std::move(interruption);
  if (ticket_) heartbeats_.emplace(deps_.store, deps_.clock, HeartbeatOf(record_, identity_));
  const std::stop_callback on_stop(interruption_->stop(),
                                   [this] { lifecycle_.ExpediteStop(interruption_->reason()); });
  Outcome outcome;
  if (const Status waited = AwaitSlot(); !waited) {
    outcome = ClassifyErrorOrStop(waited.error(), Phase::kQueue);
  } else {
    outcome = RunAttempts();
  }
  return Finish(std::move(outcome));
}

Status Supervisor::AwaitSlot() {
  if (!ticket_) return {};
  KINETIC_RETURN_IF_ERROR(ticket_->Await(
      request_.concurrency,
      [&](std::string_view reason) {
        lifecycle_.SetStatus(JobState::kQueued, Phase::kQueue, reason);
      },
      [&](std::chrono::milliseconds time) {
        return deps_.clock.Sleep(time, interruption_->stop());
      }));
  lifecycle_.status_file().AddEvent("dequeued");
  return {};
}

Outcome Supervisor::RunAttempts() {
  for (std::uint32_t attempt = 1;; ++attempt) {
    Outcome outcome = RunAttempt(attempt);
    outcome.attempt = attempt;
    RedactTexts(outcome, secrets_);
    if (!record::ShouldRetry(record_.spec.retry, outcome, attempt)) return outcome;
    lifecycle_.status_file().AddEvent("retried", outcome.reason);
    LogFailure("writing to the log", capture_.Note(RetryNote(record_.spec.retry, outcome)));
    LogFailure("sealing the log", spool_.Seal());
    LogFailure("storing an attempt", lifecycle_.StoreAttempt(outcome));
  }
}

Outcome Supervisor::ClassifyErrorOrStop(const Error& error, Phase phase) const {
  const StopReason reason = interruption_->reason();
  const bool is_cause = error.code == ErrorCode::kCancelled || reason == StopReason::kFolderRemoved;
  if (is_cause && reason != StopReason::kNone) {
    return ClassifyInterruption(record_.spec, reason, phase);
  }
  return ClassifyError(error, phase);
}

Outcome Supervisor::RunAttempt(std::uint32_t attempt) {
  lifecycle_.BeginAttempt(attempt);
  const auto arguments = Prepare(attempt);
  if (!arguments) return ClassifyErrorOrStop(arguments.error(), Phase::kPull);
  if (interruption_->reason() != StopReason::kNone) {
    return ClassifyInterruption(record_.spec, interruption_->reason(), Phase::kStart);
  }
  auto exit = Launch(*arguments, attempt);
  if (!exit) {
    if (IsDiskFull(exit.error())) lifecycle_.SetLogGap(exit.error().message);
    const bool started = lifecycle_.status_file().status().phase == Phase::kRun;
    return ClassifyErrorOrStop(exit.error(), started ? Phase::kRun : Phase::kStart);
  }
  return ClassifyExit(*exit);
}

Result<Arguments> Supervisor::Prepare(std::uint32_t attempt) {
  const std::stop_token stop = interruption_->stop();
  lifecycle_.SetStatus(JobState::kPending, Phase::kPull, {});
  // Inputs may be fetched meanwhile: only this supervisor uses the runtime directory.
  auto claiming = std::async(std::launch::async, [&]() -> Status {
    const auto claims = BlockClaims();
    KINETIC_RETURN_IF_ERROR(lifecycle_.job_store().Claim(attempt, ToJson(identity_), stop));
    lifecycle_.status_file().AddEvent("claimed");
    return {};
  });
  KINETIC_RETURN_IF_ERROR(spool_.BeginAttempt(attempt));
  const bool is_running = batch_ != nullptr && batch_->session;
  auto prepared_inputs = PrepareInputs(attempt);
  const Path packages = is_running ? Path() : request_.environment_root;
  const Status layered =
      packages.empty() ? Status()
                       : LayerVirtualEnvironment(deps_.fs, packages, runtime_.VirtualEnvironment());
  KINETIC_RETURN_IF_ERROR(claiming.get());
  await_record_();
  if (!prepared_inputs) return Failure(std::move(prepared_inputs).error());
  KINETIC_RETURN_IF_ERROR(layered);
  if (!packages.empty()) {
    const std::string note = InstallProject(
        deps_.fs,
        {runtime_.Work(), runtime_.Work() / record_.spec.workdir, runtime_.VirtualEnvironment()},
        record_.spec.env);
    if (!note.empty()) KINETIC_RETURN_IF_ERROR(capture_.Note(note));
  }
  AttemptLifecycle::Prepared prepared = *std::move(prepared_inputs);
  if (prepared.restored) {
    KINETIC_RETURN_IF_ERROR(capture_.Note("restored " + *prepared.restored));
  }
  return std::move(prepared.arguments);
}

Result<AttemptLifecycle::Prepared> Supervisor::PrepareInputs(std::uint32_t attempt) {
  const std::stop_token stop = interruption_->stop();
  if (batch_ != nullptr && batch_->session) return lifecycle_.PrepareNext(attempt, stop);
  KINETIC_RETURN_IF_ERROR(in_place_.Clear());
  return lifecycle_.Prepare(attempt, stop);
}

ProgramLimits Supervisor::Limits() const {
  ProgramLimits limits;
  limits.run = record_.spec.timeouts.run;
  limits.grace = record_.spec.timeouts.grace;
  limits.memory_bytes = record_.spec.resources.memory_bytes;
  return limits;
}

/// Data that is read in place is mounted. So is data that no path argument refers to, at its path,
/// which the client has checked.
Result<std::optional<local::PrivateMounts>> Supervisor::MountsOf(const Arguments& arguments) {
  std::vector<local::Mount> mounts;
  for (const auto& [path, source] : record_.spec.data) {
    if (!Path(path).is_absolute() || record::IsReferredTo(arguments, path)) continue;
    mounts.push_back({DataPath(runtime_, path), Path(path).lexically_normal()});
  }
  if (mounts.empty() && in_place_.overlays().empty()) return std::nullopt;
  const Path root = runtime_.folder / "root";
  KINETIC_RETURN_IF_ERROR(MakeDirectories(deps_.fs, root, 0700));
  KINETIC_ASSIGN_OR_RETURN(
      auto made, local::PrivateMounts::Make(deps_.fs, in_place_.overlays(), mounts, root));
  return std::optional(std::move(made));
}

/// Without a usable cache, programs download to their own home folder.
void Supervisor::PrepareCache() {
  if (request_.job_cache.empty()) return;
  const Status prepared = local::PrepareJobCache(deps_.fs, deps_.clock, request_.job_cache);
  if (prepared) return;
  LogFailure("preparing the job cache", prepared);
  request_.job_cache.clear();
}

Result<ProgramExit> Supervisor::Launch(const Arguments& arguments, std::uint32_t attempt) {
  PrepareCache();
  KINETIC_ASSIGN_OR_RETURN(Program program,
                           PrepareProgram(deps_.fs, {record_, request_, runtime_, arguments,
                                                     deps_.store.Location(), attempt}));
  KINETIC_ASSIGN_OR_RETURN(program.mounts, MountsOf(arguments));
  KINETIC_RETURN_IF_ERROR(lifecycle_.OpenProgramFiles(std::nullopt));
  const auto on_started = [&] {
    interruption_->OnProgramStarted();
    lifecycle_.OnProgramStarted();
  };
  const auto running_tasks = lifecycle_.StartRunningTasks();
  const ProgramLimits limits = Limits();
  const std::string name = fmt::format("kinetic-{}-{}", CgroupName(record_.id), attempt);
  const ProgramCallbacks callbacks{.started = on_started,
                                   .returned = [&] { lifecycle_.StartStoringValue(attempt); }};
  interruption_->SetOnRequest([&running_tasks] { running_tasks->copies.CheckNow(); });
  ProgramRunner program_runner(capture_, deps_.clock);
  auto exit = MakesCalls()
                  ? Call(std::move(program), name, callbacks)
                  : program_runner.Run(program, limits, name, callbacks, interruption_->stop());
  interruption_->SetOnRequest({});
  return exit;
}

/// Returns whether the function is called by a program that calls those of other tasks, too.
bool Supervisor::MakesCalls() const {
  return batch_ != nullptr && record_.spec.function && !record_.spec.function->IsNative();
}

Result<ProgramExit> Supervisor::Call(Program program, const std::string& name,
                                     const ProgramCallbacks& callbacks) {
  std::map<std::string, std::string> variables;
  for (const auto& [variable, value] : program.environment) {
    if (variable.starts_with("KINETIC_")) variables.emplace(variable, value);
  }
  if (!batch_->session) {
    KINETIC_ASSIGN_OR_RETURN(
        batch_->session, ProgramSession::Start(std::move(program), Limits(), name, deps_.clock));
  }
  auto exit = batch_->session->Call(variables, capture_, callbacks, interruption_->stop());
  if (!exit || !batch_->session->CanCall()) batch_->session.reset();
  return exit;
}

Outcome Supervisor::ClassifyExit(const ProgramExit& exit) {
  Outcome outcome = ClassifyProgram(record_.spec, exit, interruption_->reason());
  const std::uint32_t attempt = lifecycle_.status_file().status().attempt;
  if (!record::ShouldRetry(record_.spec.retry, outcome, attempt)) LeaveQueue();
  for (const auto& note : ExitNotes(exit, Limits())) {
    LogFailure("writing to the log", capture_.Note(note));
  }
  for (const auto& note : in_place_.ChangeNotes(interruption_->stop())) {
    LogFailure("writing to the log", capture_.Note(note));
  }
  for (const auto& note : lifecycle_.OutputNotes()) {
    LogFailure("writing to the log", capture_.Note(note));
  }
  lifecycle_.status_file().AddEvent("ended", "peak memory " + FormatBytes(exit.peak_memory_bytes));
  LogFailure("sealing the log", spool_.Seal());
  lifecycle_.SetStatus(JobState::kRunning, Phase::kCollect, "collecting");
  // A succeeded job has no next attempt that could restore a checkpoint.
  if (outcome.state != JobState::kSucceeded) FinishCheckpoints(exit);
  return outcome;
}

void Supervisor::FinishCheckpoints(const ProgramExit& exit) {
  const Status saved = lifecycle_.FinishCheckpoints(WasKilled(exit));
  if (saved) return;
  LogFailure("saving a checkpoint", saved);
  LogFailure("writing to the log",
             capture_.Note("the checkpoint was not saved: " + saved.error().message));
  LogFailure("sealing the log", spool_.Seal());
}

Status Supervisor::Finish(Outcome outcome) {
  await_record_();
  LeaveQueue();
  RedactTexts(outcome, secrets_);
  capture_.Seal();
  lifecycle_.SetLogRecords(spool_.next_sequence());  // also those that are lost
  lifecycle_.SaveOutcome(outcome);
  const auto stored = lifecycle_.StoreResult(outcome);
  if (!stored) {
    lifecycle_.SetStatus(JobState::kRunning, Phase::kCollect, UncollectedReason(stored.error()));
    return Failure(stored.error());
  }
  lifecycle_.SetStatus(outcome.state, outcome.phase, outcome.reason);
  // A waiting client reads the result meanwhile.
  if (*stored) lifecycle_.IndexResult(outcome);
  heartbeats_.reset();
  CleanUp();
  return {};
}

/// The program has ended. Storing what it left may take long and must not delay the next job.
void Supervisor::LeaveQueue() { ticket_.reset(); }

/// Removes what clients do not need. They remove the folder itself, also while this process exits.
void Supervisor::CleanUp() {
  if (batch_ != nullptr) return;  // other tasks use the folders, too
  for (const Path& folder : {runtime_.Work(), runtime_.Home(), runtime_.Temporary(),
                             runtime_.Output(), runtime_.VirtualEnvironment(), runtime_.Exchange(),
                             runtime_.Data(), runtime_.Layers(), runtime_.Checkpoints()}) {
    LogFailure("cleaning up", RemoveTree(deps_.fs, folder));
  }
  const auto finished = deps_.fs.Open(runtime_.Finished(), OpenMode::kTruncate, 0600);
  if (!finished) LogFailure("cleaning up", Failure(finished.error()));
}

}  // namespace kinetic::runner
