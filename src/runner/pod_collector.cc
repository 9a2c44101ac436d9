#include "runner/pod_collector.h"

#include "kinetic/value.h"

#include "base/try.h"
#include "base/units.h"
#include "local/events.h"
#include "local/replace_file.h"
#include "record/layout.h"
#include "record/log_reader.h"
#include "record/status.h"
#include "runner/diagnostics.h"
#include "runner/give_folder.h"
#include "runner/program_setup.h"
#include "runner/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kinetic::runner {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMaxDocumentBytes = 64U << 20;
/// A program that writes line by line would wake us for each.
constexpr milliseconds kGather{10};
/// A launcher that is killed says nothing but that its lock is free, a moment after its files were
/// closed.
constexpr milliseconds kLauncherLook{1000};
/// Whoever follows the job knows what it waited for, and ends it with that; the collector ends what
/// nobody follows.
constexpr std::chrono::seconds kFollowersLead{5};

std::string ClaimText(const PodIdentity& identity) {
  return Value(
             Value::Map{{"pod_uid", identity.uid}, {"pod", identity.name}, {"node", identity.node}})
             .ToJson() +
         "\n";
}

Collector::Options CollectingIn(const PodFolder& folder, const record::Record& record) {
  return {.mounted = true,
          .environment = folder.Environment(),
          .disk_bytes = record.spec.resources.disk_bytes};
}

void ShowStatus(const record::AttemptStatus& status) {
  Diagnose("status " +
           Value(Value::Map{{"attempt", std::int64_t{status.attempt}},
                            {"state", std::string(Name(status.state))},
                            {"phase", std::string(Name(status.phase))},
                            {"reason", status.reason},
                            {"done_bytes", static_cast<std::int64_t>(status.fetched.done_bytes)},
                            {"total_bytes", static_cast<std::int64_t>(status.fetched.total_bytes)}})
               .ToJson());
}

}  // namespace

PodCollector::PodCollector(Collector::Seams seams, const Job& job, PodFolder folder,
                           PodIdentity identity, LogEcho& echo)
    : seams_(seams),
      record_(job.record),
      image_(job.image),
      folder_(std::move(folder)),
      identity_(std::move(identity)),
      echo_(echo),
      keeper_(seams, record_, {folder_.runtime, CollectingIn(folder_, record_), {}, &ShowStatus}),
      follower_(seams.fs, folder_.runtime.Spool(),
                [this](const SpooledSegment& segment) {
                  echo_.Take(segment);
                  keeper_.Take(segment);
                }),
      notes_(seams.fs, folder_.runtime.Spool(), [this](const SpooledSegment& segment) {
        echo_.Take(segment);
        keeper_.Take(segment);
      }) {}

Settlement PodCollector::Run() {
  // Only the first attempt can begin too late, and its program may have begun already.
  auto interruption = Interruption::Begin(folder_.runtime, seams_.clock, std::nullopt);
  if (!interruption) return Settle(JudgeFault(interruption.error(), Phase::kQueue));
  interruption_ = *std::move(interruption);
  const std::stop_callback on_stop(interruption_->stop(), [this] { keeper_.Hurry(); });
  // What runs is followed to its end, also when it is being stopped.
  resumes_ = IsThere(seams_.fs, folder_.TakenOrder()) || IsThere(seams_.fs, folder_.Order());
  auto known = KnownResult();
  if (!known) return Settle(JudgeFaultOrStop(known.error(), Phase::kPull));
  if (*known) return **std::move(known);
  const auto attempt = ClaimAttempt();
  if (!attempt) return Settle(JudgeFaultOrStop(attempt.error(), Phase::kPull));
  attempt_ = *attempt;
  const auto outcome = RunAttempt();
  return outcome ? Settle(*outcome) : Abandon();
}

std::stop_token PodCollector::StopBeforeProgram() const {
  return resumes_ ? std::stop_token() : interruption_->stop();
}

/// The attempt that is this pod's. When none is left: one too many.
Result<std::uint32_t> PodCollector::ClaimAttempt() {
  const std::string claim = ClaimText(identity_);
  const std::uint32_t attempts = std::max(record_.spec.retry.attempts, 1U);
  for (std::uint32_t attempt = 1; attempt <= attempts; ++attempt) {
    const Status claimed = keeper_.collector().Claim(attempt, claim, StopBeforeProgram());
    if (claimed) return attempt;
    if (claimed.error().code != ErrorCode::kAlreadyExists) return Failure(claimed.error());
  }
  return attempts + 1;
}

/// Nothing: every process of the launcher's container was killed, itself too.
std::optional<Outcome> PodCollector::RunAttempt() {
  std::uint64_t first_record = 0;
  if (attempt_ > 1) {
    const auto stored = record::StoredRecords(keeper_.store(), record_.id, StopBeforeProgram());
    if (!stored) return JudgeFaultOrStop(stored.error(), Phase::kPull);
    first_record = *stored;
  }
  keeper_.CountRecords(first_record);
  keeper_.BeginAttempt(std::min(attempt_, std::max(record_.spec.retry.attempts, 1U)));
  if (attempt_ > std::max(record_.spec.retry.attempts, 1U)) {
    Outcome outcome = JudgeInterruption(record_.spec, Cause::kPreempted, Phase::kQueue);
    outcome.reason = fmt::format("preempted, and all of its attempts, {}, are used up",
                                 std::max(record_.spec.retry.attempts, 1U));
    return outcome;
  }
  const auto pending_until = PendingUntil(record_);
  if (pending_until && attempt_ == 1 && !resumes_) {
    interruption_->BeginBy(*pending_until + kFollowersLead);
  }
  order_.emplace().first_sequence = first_record;
  const Status prepared = resumes_ ? Resume() : Prepare();
  if (!prepared) return JudgeFaultOrStop(prepared.error(), Phase::kPull);
  const auto report = Follow();
  upkeep_.reset();
  if (!report) return JudgeFaultOrStop(report.error(), running_ ? Phase::kRun : Phase::kStart);
  return *report ? Judge(**report) : JudgeKilled();
}

Status PodCollector::Prepare() {
  keeper_.Show(JobState::kPending, Phase::kPull, "taking the job");
  keeper_.board().Note("claimed");
  KINETIC_ASSIGN_OR_RETURN(const auto prepared, keeper_.Prepare(attempt_, interruption_->stop()));
  KINETIC_ASSIGN_OR_RETURN(order_, MakeOrder(prepared));
  keeper_.Show(JobState::kPending, Phase::kStart, "waiting for the job's container");
  return {};
}

/// A collector of this pod was here before.
Status PodCollector::Resume() {
  auto json = ReadFile(seams_.fs, folder_.TakenOrder(), kMaxDocumentBytes);
  if (!json) json = ReadFile(seams_.fs, folder_.Order(), kMaxDocumentBytes);
  if (!json) json = ReadFile(seams_.fs, folder_.TakenOrder(), kMaxDocumentBytes);
  KINETIC_RETURN_IF_ERROR(json);
  KINETIC_ASSIGN_OR_RETURN(order_, ProgramOrderFromJson(*json));
  ordered_ = true;
  const auto shown = ReadFile(seams_.fs, folder_.runtime.StatusFile(), kMaxDocumentBytes);
  if (shown) {
    if (auto status = record::StatusFromJson(*shown)) keeper_.board().Resume(*std::move(status));
  }
  keeper_.board().Note("resumed");
  return keeper_.Resume(attempt_, StopBeforeProgram());
}

Result<ProgramOrder> PodCollector::MakeOrder(const Keeper::Prepared& prepared) {
  local::LaunchRequest request;
  request.python = "python3";  // the launcher finds it
  const std::string location = seams_.store.Location();
  ProgramOrder order;
  KINETIC_ASSIGN_OR_RETURN(order.program,
                           SetUpProgram({seams_.fs, location, record_, request, folder_.runtime,
                                         prepared.arguments, attempt_}));
  order.job_id = record_.id;
  order.attempt = attempt_;
  order.first_sequence = order_->first_sequence;
  if (!record_.spec.env.contains("PATH")) order.program.environment.erase("PATH");
  if (!record_.spec.env.contains("PYTHONPATH")) order.joined = {"PYTHONPATH"};
  order.secrets = record_.secret_names;
  order.python = record_.spec.python;
  order.image = image_;
  if (record_.environment) {
    order.environment = {folder_.Environment(), record_.environment->python};
  }
  order.limits.run = record_.spec.timeouts.run;
  order.limits.grace = record_.spec.timeouts.grace;
  if (prepared.restored) order.notes.push_back("restored " + *prepared.restored);
  return order;
}

/// The launcher is there, and it is known now whose the files are to be.
Status PodCollector::GiveOrder() {
  KINETIC_RETURN_IF_ERROR(GiveFolders(folder_));
  KINETIC_RETURN_IF_ERROR(local::ReplaceFile(seams_.fs, folder_.Order(), ToJson(*order_), 0644));
  ordered_ = true;
  return {};
}

/// Whether the program will not be run any more.
bool PodCollector::Withdraw() { return !ordered_ || seams_.fs.Unlink(folder_.Order()).has_value(); }

/// Nothing: the launcher has gone without a word.
Result<std::optional<EndReport>> PodCollector::Follow() {
  const std::stop_token stop = interruption_->stop();
  const auto watch = [this](const std::stop_token& until) -> Result<local::Events> {
    KINETIC_ASSIGN_OR_RETURN(local::Events made, local::Events::Make(until));
    KINETIC_RETURN_IF_ERROR(made.WatchFolder(folder_.runtime.folder));
    KINETIC_RETURN_IF_ERROR(made.WatchFolder(folder_.runtime.Spool()));
    return made;
  };
  KINETIC_ASSIGN_OR_RETURN(local::Events events, watch(stop));
  for (bool hurried = false;;) {
    KINETIC_ASSIGN_OR_RETURN(const auto launcher, StateOfLauncher(seams_.fs, folder_));
    if (stop.stop_requested() && !hurried) {
      if (Withdraw()) return Fail(ErrorCode::kCancelled, "stopped before the program began");
      hurried = true;
      KINETIC_ASSIGN_OR_RETURN(events, watch({}));
    }
    if (launcher == LauncherState::kAlive && !ordered_) KINETIC_RETURN_IF_ERROR(GiveOrder());
    KINETIC_RETURN_IF_ERROR(LookAtProgram());
    if (const auto json = ReadFile(seams_.fs, folder_.End(), kMaxDocumentBytes)) {
      KINETIC_ASSIGN_OR_RETURN(EndReport report, EndReportFromJson(*json));
      return std::optional(std::move(report));
    }
    if (launcher == LauncherState::kGone) return std::optional<EndReport>();
    const auto woken = events.Wait(kLauncherLook);
    if (!woken && woken.error().code != ErrorCode::kCancelled) return Failure(woken.error());
    if (woken && woken->changed) (void)seams_.clock.Sleep(kGather, {});
  }
}

Status PodCollector::LookAtProgram() {
  KINETIC_RETURN_IF_ERROR(follower_.Look());
  if (!running_ && IsThere(seams_.fs, folder_.Started())) {
    running_ = true;
    interruption_->Begun();
    keeper_.BeginRunning();
    upkeep_ = keeper_.LookAfter();
  }
  if (IsThere(seams_.fs, folder_.Returned())) keeper_.BeginStoringValue(attempt_);
  return {};
}

}  // namespace kinetic::runner
