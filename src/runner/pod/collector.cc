#include "runner/pod/collector.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/strings.h"
#include "local/event_waiter.h"
#include "local/job_cache.h"
#include "local/replace_file.h"
#include "record/log/stored_log.h"
#include "record/object_names.h"
#include "record/status.h"
#include "runner/diagnostics.h"
#include "runner/outcome/classify.h"
#include "runner/program/command.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

/// A program that writes line by line would wake us for each line.
constexpr milliseconds kEventBatchTime{10};
/// Only the lock shows that a launcher was killed, and no event reports that.
constexpr milliseconds kLauncherPoll{1000};
/// A client that follows the job knows what it waited for, so it reports a pending timeout first.
constexpr std::chrono::seconds kClientLead{5};
/// GKE gives all containers of a preempted pod 15 s together, and the collector needs the rest.
constexpr milliseconds kSpotGrace{8000};

std::string ClaimText(const PodIdentity& identity) {
  return Value(
             Value::Map{{"pod_uid", identity.uid}, {"pod", identity.name}, {"node", identity.node}})
             .ToJson() +
         "\n";
}

JobStore::Options JobStoreOptions(const PodFolder& folder, const record::Record& record) {
  return {.mounted = true,
          .environment = folder.Environment(),
          .disk_bytes = record.spec.resources.disk_bytes};
}

void PrintStatus(const record::AttemptStatus& status) {
  LogDiagnostic(
      "status " +
      Value(Value::Map{{"attempt", std::int64_t{status.attempt}},
                       {"state", std::string(Name(status.state))},
                       {"phase", std::string(Name(status.phase))},
                       {"reason", status.reason},
                       {"done_bytes", static_cast<std::int64_t>(status.fetched.done_bytes)},
                       {"total_bytes", static_cast<std::int64_t>(status.fetched.total_bytes)}})
          .ToJson());
}

}  // namespace

PodCollector::PodCollector(JobStore::Dependencies deps, const Job& job, PodFolder folder,
                           PodIdentity identity, LogEcho* echo)
    : deps_(deps),
      record_(job.record),
      image_(job.image),
      folder_(std::move(folder)),
      identity_(std::move(identity)),
      echo_(echo),
      next_(job.next),
      lifecycle_(deps, record_,
                 {.runtime = folder_.runtime,
                  .job_store = JobStoreOptions(folder_, record_),
                  .secrets = {},
                  .on_status = &PrintStatus,
                  .has_own_downloads = true}),
      follower_(deps.fs, folder_.runtime.Spool(),
                [this](const SpooledSegment& segment) { OnSegment(segment); }),
      notes_(deps.fs, folder_.runtime.Spool(),
             [this](const SpooledSegment& segment) { OnSegment(segment); }) {}

void PodCollector::OnSegment(const SpooledSegment& segment) {
  if (echo_ != nullptr) echo_->OnSegment(segment);
  lifecycle_.OnSegment(segment);
}

LauncherExit PodCollector::Run() {
  // The start deadline is set later: it applies to the first attempt, whose program may already
  // run.
  auto interruption = Interruption::Start(folder_.runtime, deps_.clock, std::nullopt);
  if (!interruption) return Finish(ClassifyError(interruption.error(), Phase::kQueue));
  interruption_ = *std::move(interruption);
  const std::stop_callback on_stop(interruption_->stop(),
                                   [this] { lifecycle_.ExpediteStop(interruption_->reason()); });
  // A running program is followed to its end even while the job is being stopped.
  resumes_ = Exists(deps_.fs, folder_.ClaimedRequest()) || Exists(deps_.fs, folder_.Request());
  auto known = KnownResult();
  if (!known) return EndUnclaimed(known.error());
  if (*known) return **std::move(known);
  if (auto cancelled = ClassifyCancelledTask()) return Finish(*std::move(cancelled));
  const auto attempt = ClaimAttempt();
  if (!attempt) return EndUnclaimed(attempt.error());
  attempt_ = *attempt;
  const auto outcome = RunAttempt();
  return outcome ? Finish(*outcome) : Abandon();
}

std::stop_token PodCollector::StopBeforeProgram() const {
  return resumes_ ? std::stop_token() : interruption_->stop();
}

/// Returns the attempt of this pod, or one above the allowed number if none is left.
Result<std::uint32_t> PodCollector::ClaimAttempt() {
  const std::string claim = ClaimText(identity_);
  const std::uint32_t attempts = std::max(record_.spec.retry.attempts, 1U);
  for (std::uint32_t attempt = next_ ? next_->attempt : 1; attempt <= attempts; ++attempt) {
    const Status claimed = lifecycle_.job_store().Claim(attempt, claim, StopBeforeProgram());
    if (claimed) return attempt;
    if (claimed.error().code != ErrorCode::kAlreadyExists) return Failure(claimed.error());
  }
  return attempts + 1;
}

/// Returns nullopt if the launcher was killed with its container.
std::optional<Outcome> PodCollector::RunAttempt() {
  std::uint64_t first_record = 0;
  if (attempt_ > 1) {
    const auto stored =
        record::CountLogRecords(lifecycle_.store(), KeyOf(record_), StopBeforeProgram());
    if (!stored) return ClassifyErrorOrStop(stored.error(), Phase::kPull);
    first_record = *stored;
    lifecycle_.AddEarlierNodeTime(attempt_, StopBeforeProgram());
  }
  lifecycle_.SetLogRecords(first_record);
  lifecycle_.BeginAttempt(std::min(attempt_, std::max(record_.spec.retry.attempts, 1U)));
  if (attempt_ > std::max(record_.spec.retry.attempts, 1U)) {
    Outcome outcome = ClassifyInterruption(record_.spec, StopReason::kPreempted, Phase::kQueue);
    outcome.reason = fmt::format("preempted; no attempts left (of {})",
                                 std::max(record_.spec.retry.attempts, 1U));
    return outcome;
  }
  const auto start_deadline = StartDeadline(record_, deps_.clock);
  if (start_deadline && attempt_ == 1 && !resumes_) {
    interruption_->SetStartDeadline(*start_deadline + kClientLead);
  }
  request_.emplace().first_sequence = first_record;
  const Status prepared = resumes_ ? Resume() : Prepare();
  if (!prepared) return ClassifyErrorOrStop(prepared.error(), Phase::kPull);
  const auto report = AwaitReport();
  running_tasks_.reset();
  if (!report) return ClassifyErrorOrStop(report.error(), running_ ? Phase::kRun : Phase::kStart);
  return *report ? ClassifyReport(**report) : ClassifyKilled();
}

Status PodCollector::Prepare() {
  lifecycle_.SetStatus(JobState::kPending, Phase::kPull, {});
  lifecycle_.status_file().AddEvent("claimed");
  const std::stop_token stop = interruption_->stop();
  KINETIC_ASSIGN_OR_RETURN(const auto prepared, next_ && next_->prepared
                                                    ? lifecycle_.PrepareNext(attempt_, stop)
                                                    : lifecycle_.Prepare(attempt_, stop));
  prepared_ = true;
  KINETIC_ASSIGN_OR_RETURN(request_, MakeRequest(prepared));
  lifecycle_.SetStatus(JobState::kPending, Phase::kStart, "waiting for the job's container");
  return {};
}

/// Resumes the attempt of an earlier collector of this pod.
Status PodCollector::Resume() {
  auto json = ReadFile(deps_.fs, folder_.ClaimedRequest(), kMaxPodDocumentBytes);
  if (!json) json = ReadFile(deps_.fs, folder_.Request(), kMaxPodDocumentBytes);
  if (!json) json = ReadFile(deps_.fs, folder_.ClaimedRequest(), kMaxPodDocumentBytes);
  KINETIC_RETURN_IF_ERROR(json);
  KINETIC_ASSIGN_OR_RETURN(request_, ProgramRequestFromJson(*json));
  requested_ = true;
  prepared_ = true;
  const auto old_status = ReadFile(deps_.fs, folder_.runtime.StatusFile(), kMaxPodDocumentBytes);
  if (old_status) {
    if (auto status = record::StatusFromJson(*old_status))
      lifecycle_.status_file().Resume(*std::move(status));
  }
  lifecycle_.status_file().AddEvent("resumed");
  KINETIC_RETURN_IF_ERROR(OpenProgramFiles());
  return lifecycle_.Resume(attempt_, StopBeforeProgram());
}

Result<ProgramRequest> PodCollector::MakeRequest(const AttemptLifecycle::Prepared& prepared) {
  local::LaunchRequest launch;
  launch.python = "python3";  // the launcher finds it
  launch.job_cache = folder_.runtime.Downloads();
  ProgramRequest program_request;
  KINETIC_ASSIGN_OR_RETURN(
      program_request.program,
      PrepareProgram(deps_.fs, {record_, launch, folder_.runtime, prepared.arguments,
                                deps_.store.Location(), attempt_}));
  program_request.job_id = record_.id;
  program_request.attempt = attempt_;
  program_request.first_sequence = request_->first_sequence;
  if (!record_.spec.env.contains("PATH")) program_request.program.environment.erase("PATH");
  // A function that sets none inherits the image's.
  if (!record_.spec.function && !record_.spec.env.contains("PYTHONPATH")) {
    program_request.joined = {"PYTHONPATH"};
  }
  // An image may contain models.
  for (const std::string_view name : local::kJobCacheVariables) {
    if (!record_.spec.env.contains(std::string(name))) program_request.defaults.emplace_back(name);
  }
  program_request.secrets = record_.secret_names;
  program_request.python = record_.spec.python;
  program_request.image = image_;
  if (record_.environment) {
    program_request.environment = {folder_.Environment(), record_.environment->python};
  }
  program_request.limits.run = record_.spec.timeouts.run;
  program_request.limits.grace = record_.spec.timeouts.grace;
  if (record_.spec.spot) {
    program_request.limits.grace = std::min(program_request.limits.grace, kSpotGrace);
  }
  program_request.makes_calls =
      next_ && record_.spec.function && !record_.spec.function->IsNative();
  if (prepared.restored) program_request.notes.push_back("restored " + *prepared.restored);
  if (prepared.downloads) program_request.notes.push_back(*prepared.downloads);
  return program_request;
}

Status PodCollector::OpenProgramFiles() {
  return lifecycle_.OpenProgramFiles(OtherProgramUser(deps_.fs, folder_));
}

/// Writes program.json. Call when the launcher is alive: its lock has the user who gets the files.
Status PodCollector::PublishRequest() {
  KINETIC_RETURN_IF_ERROR(ChownJobFolders(folder_));
  KINETIC_RETURN_IF_ERROR(OpenProgramFiles());
  KINETIC_RETURN_IF_ERROR(local::ReplaceFile(deps_.fs, folder_.Request(), ToJson(*request_), 0644));
  requested_ = true;
  return {};
}

/// Withdraws the request; returns false if the launcher has already claimed it.
bool PodCollector::Withdraw() {
  return !requested_ || deps_.fs.Unlink(folder_.Request()).has_value();
}

/// Returns the launcher's report, or nullopt if the launcher died without one.
Result<std::optional<ExitReport>> PodCollector::AwaitReport() {
  const std::stop_token stop = interruption_->stop();
  const auto watch = [this](const std::stop_token& until) -> Result<local::EventWaiter> {
    KINETIC_ASSIGN_OR_RETURN(local::EventWaiter events, local::EventWaiter::Make(until));
    KINETIC_RETURN_IF_ERROR(events.WatchFolder(folder_.runtime.folder));
    KINETIC_RETURN_IF_ERROR(events.WatchFolder(folder_.runtime.Spool()));
    return events;
  };
  KINETIC_ASSIGN_OR_RETURN(local::EventWaiter events, watch(stop));
  for (bool hurried = false;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto launcher, GetLauncherState(deps_.fs, folder_));
    if (stop.stop_requested() && !hurried) {
      if (Withdraw()) return Fail(ErrorCode::kCancelled, "stopped before the program started");
      hurried = true;
      KINETIC_ASSIGN_OR_RETURN(events, watch({}));
    }
    if (launcher == LauncherState::kAlive && !requested_) KINETIC_RETURN_IF_ERROR(PublishRequest());
    KINETIC_RETURN_IF_ERROR(PollProgram());
    if (const auto json = ReadFile(deps_.fs, folder_.Report(), kMaxPodDocumentBytes)) {
      KINETIC_ASSIGN_OR_RETURN(ExitReport report, ExitReportFromJson(*json));
      return std::optional(std::move(report));
    }
    if (launcher == LauncherState::kDead) return std::optional<ExitReport>();
    const auto event = events.Wait(kLauncherPoll);
    if (!event && event.error().code != ErrorCode::kCancelled) return Failure(event.error());
    if (event && event->changed) (void)deps_.clock.Sleep(kEventBatchTime, {});
  }
}

Status PodCollector::PollProgram() {
  KINETIC_RETURN_IF_ERROR(follower_.Poll());
  if (!running_ && Exists(deps_.fs, folder_.Started())) {
    running_ = true;
    interruption_->OnProgramStarted();
    lifecycle_.OnProgramStarted();
    std::vector<PeriodicTasks::Task> more;
    if (next_) more.push_back({"reading a cancellation", [this] { return CheckCancellation(); }});
    running_tasks_ = lifecycle_.StartRunningTasks(std::move(more));
  }
  if (Exists(deps_.fs, folder_.Returned())) lifecycle_.StartStoringValue(attempt_);
  return {};
}

}  // namespace kinetic::runner
