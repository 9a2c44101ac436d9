#include "job/summary.h"

#include "kinetic/try.h"

#include "backend/capabilities.h"
#include "backend/cause_text.h"
#include "backend/kubernetes/diagnose/patterns.h"
#include "job/lifecycle/outcome.h"
#include "job/lifecycle/reconcile.h"
#include "job/lifecycle/task_end.h"
#include "record/index.h"
#include "record/object_names.h"
#include "record/task_id.h"
#include "record/task_record.h"
#include "store/age.h"

#include <algorithm>
#include <future>
#include <utility>

namespace kinetic::job {
namespace {

/// Returns when the job's program ended, or else when its outcome was stored, which may be much
/// later.
std::optional<WallTime> EndOf(const std::vector<record::Moment>& moments) {
  const auto ended =
      std::ranges::find(moments.rbegin(), moments.rend(), "ended", &record::Moment::name);
  if (ended != moments.rend()) return ended->time;
  const auto stored = std::ranges::find(moments, "finished", &record::Moment::name);
  return stored == moments.end() ? std::nullopt : std::optional(stored->time);
}

std::optional<WallTime> MomentOf(const std::vector<record::Moment>& moments,
                                 std::string_view name) {
  const auto found = std::ranges::find(moments, name, &record::Moment::name);
  if (found == moments.end()) return std::nullopt;
  return found->time;
}

void Apply(JobSummary& summary, const record::StoredOutcome& stored) {
  summary.state = stored.outcome.state;
  summary.reason = stored.outcome.reason;
  summary.attempt = stored.outcome.attempt;
  if (stored.outcome.tasks) summary.tasks = stored.outcome.tasks;
  summary.started = MomentOf(stored.moments, "started");
  summary.finished = EndOf(stored.moments);
  summary.node_time = stored.node_time;
  summary.timeline.clear();
}

void Apply(JobSummary& summary, const record::AttemptStatus& status) {
  const auto started = MomentOf(status.timeline, "started");
  // A listing of a cluster has no times of pods. The index has that of the attempt that runs.
  const bool keeps =
      !started && status.state == JobState::kRunning && status.attempt == summary.attempt;
  if (!keeps) summary.started = started;
  summary.state = status.state;
  summary.reason = status.reason;
  summary.attempt = status.attempt;
  if (status.tasks) summary.tasks = status.tasks;
  summary.timeline.clear();
  for (const auto& moment : status.timeline) {
    summary.timeline.emplace_back(moment.name, moment.time);
  }
}

/// Returns what the index tells about a job whose target has no trace of it.
std::optional<record::AttemptStatus> LastStatus(const JobSummary& known) {
  if (known.attempt == 0) return std::nullopt;
  record::AttemptStatus status;
  status.attempt = known.attempt;
  status.phase = Phase::kRun;
  if (known.started) status.timeline.push_back({"started", *known.started, {}});
  return status;
}

/// Returns whether the supervisor of a job that has a result is about to write the index.
bool IsSupervisedHere(Context& context, std::string_view id, const std::stop_token& stop) {
  if (context.target->Traits().is_remote) return false;
  const auto observed = context.target->Observe(id, stop);
  return observed && *observed && (*observed)->alive;
}

Result<bool> ApplyResult(Context& context, JobSummary& summary, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto result, ReadResult(context, summary.id, stop));
  if (!result) return false;
  Apply(summary, *result);
  if (!summary.finished) {
    const auto info = context.store->Stat(record::ResultName(summary.id), stop);
    if (info && *info) summary.finished = (*info)->lease;
  }
  if (IsSupervisedHere(context, summary.id, stop)) return true;
  // Later clients write the entry; the result is what counts.
  const auto indexed = record::WriteIndex(*context.store, summary, stop);
  if (!indexed) context.Log(LogLevel::kInfo, indexed.error().message);
  return true;
}

CurrentState Known(JobSummary summary) { return {std::move(summary), {}}; }

/// Returns the state of a job that has ended, and whose results the store did not accept.
CurrentState NotStored(JobSummary known, const std::optional<backend::Observation>& observed,
                       Error why) {
  if (observed) known = WithObservation(std::move(known), *observed);
  known.reason = "its program has ended; " + why.message;
  const std::string id = known.id;
  why.hint = (why.hint.empty() ? "wait until the store is available" : why.hint) +
             ", then run 'kinetic ps' to store them; to discard them: kinetic rm --force " + id;
  Error error = std::move(why).Context("job " + id + " has ended, but its results are not stored");
  return {std::move(known), std::move(error)};
}

}  // namespace

Result<std::optional<record::Record>> ReadRecord(store::Store& store, std::string_view id,
                                                 std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto text,
                           store::GetBytes(store, record::RecordName(id), std::move(stop)));
  if (!text) return std::optional<record::Record>();
  auto record = record::FromJson(*text);
  Status owned;
  if (record) {
    owned = record::CheckOwner(record::RecordName(id), {record->id, {}},
                               {std::string(record::JobPart(id)), {}});
  } else {
    Error unreadable = record.error();
    owned = Failure(std::move(unreadable).Context("job " + std::string(id)));
  }
  if (owned) {
    KINETIC_ASSIGN_OR_RETURN(auto task, record::RecordFor(id, *std::move(record)));
    return std::optional(std::move(task));
  }
  Error error = owned.error();
  if (error.code == ErrorCode::kDataLoss) {
    error.hint = "to remove the job: kinetic rm --force " + std::string(id);
  }
  return Failure(std::move(error));
}

Result<std::optional<backend::Observation>> Observe(Context& context, std::string_view id,
                                                    std::stop_token stop) {
  if (!context.cluster_error) return context.target->Observe(id, std::move(stop));
  KINETIC_ASSIGN_OR_RETURN(const auto all, context.target->ObserveAll(std::move(stop)));
  const auto found = all.find(id);
  if (found == all.end()) return std::optional<backend::Observation>();
  return std::optional(found->second);
}

Result<ObjectAge> AgeOf(Context& context, const std::string& name, const std::stop_token& stop,
                        std::chrono::seconds limit) {
  KINETIC_ASSIGN_OR_RETURN(const auto info, context.store->Stat(name, stop));
  if (!info) return ObjectAge::kAbsent;
  const auto now = context.store->ExactNow(stop);
  return now && store::IsOlder(info->lease, *now, limit) ? ObjectAge::kOld : ObjectAge::kYoung;
}

Result<bool> IsIncompleteSubmission(Context& context, const JobSummary& job, std::stop_token stop) {
  if (IsTerminal(job.state)) return false;
  KINETIC_ASSIGN_OR_RETURN(const auto record,
                           context.store->Stat(record::RecordName(job.id), stop));
  if (record) return false;
  KINETIC_ASSIGN_OR_RETURN(const ObjectAge age,
                           AgeOf(context, record::IndexName(job.created, job.id), stop));
  return age != ObjectAge::kYoung;
}

bool IsActiveHere(Context& context, std::string_view id, const std::stop_token& stop) {
  if (context.target->Traits().is_remote) return false;
  const auto observed = context.target->Observe(id, stop);
  return observed && *observed && (*observed)->alive && !IsTerminal((*observed)->status.state);
}

Result<std::optional<Error>> WhyUnobservable(Context& context, std::string_view id,
                                             std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto observed, Observe(context, id, stop));
  if (observed) return std::nullopt;
  if (context.cluster_error) return context.cluster_error;
  KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context.store, id, std::move(stop)));
  if (!record || record->target_identity == context.target->Identity()) return std::nullopt;
  return Error{ErrorCode::kFailedPrecondition,
               "the job runs on another target: " + record->target_identity,
               std::string(backend::TextOf(Cause::kElsewhere).advice),
               {}};
}

JobSummary WithLastKnownState(JobSummary known, const Error& why) {
  known.reason = "last known state: " + why.message;
  return known;
}

JobSummary WithObservation(JobSummary known, const backend::Observation& observed) {
  Apply(known, observed.status);
  // The target may report the end before the result is stored. Until then the job counts as
  // running.
  if (IsTerminal(known.state)) known.state = JobState::kRunning;
  if (observed.unresponsive) known.reason = observed.unresponsive->message;
  return known;
}

Result<JobSummary> SummarizeEndedJob(Context& context, JobSummary known,
                                     const backend::Observation& observed, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const bool stored, ApplyResult(context, known, std::move(stop)));
  if (stored) return known;
  known = WithObservation(std::move(known), observed);
  known.reason = "its program has ended; its outcome is being stored";
  return known;
}

Result<JobSummary> Refresh(Context& context, JobSummary known, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto current, RefreshState(context, std::move(known), std::move(stop)));
  return std::move(current.summary);
}

Result<CurrentState> RefreshState(Context& context, JobSummary known, std::stop_token stop) {
  if (record::ParseTaskId(known.id)) {
    KINETIC_ASSIGN_OR_RETURN(JobSummary task,
                             RefreshTask(context, std::move(known), std::move(stop)));
    return Known(std::move(task));
  }
  context.nonces.Take(known);
  if (IsTerminal(known.state)) return Known(std::move(known));
  if (IsActiveHere(context, known.id, stop)) {
    KINETIC_ASSIGN_OR_RETURN(const auto active, context.target->Observe(known.id, stop));
    if (active) return Known(WithObservation(std::move(known), *active));
  }
  const auto observe = [&context, id = known.id, &stop] { return Observe(context, id, stop); };
  const auto when = context.target->Traits().is_remote
                        ? std::launch::async | std::launch::deferred  // without a free thread
                        : std::launch::deferred;
  auto observing = std::async(when, observe);
  KINETIC_ASSIGN_OR_RETURN(bool ended, ApplyResult(context, known, stop));
  if (ended) return Known(std::move(known));
  KINETIC_ASSIGN_OR_RETURN(auto observed, observing.get());
  if (observed && observed->alive) {
    return Known(WithObservation(std::move(known), *observed));
  }
  // The job may have ended and been cleaned up between the two queries.
  KINETIC_ASSIGN_OR_RETURN(ended, ApplyResult(context, known, stop));
  if (ended) return Known(std::move(known));
  if (!observed && context.cluster_error) {
    return Known(WithLastKnownState(std::move(known), *context.cluster_error));
  }
  backend::AbandonedJob abandoned{known.id, {}, std::nullopt};
  if (observed) {
    KINETIC_ASSIGN_OR_RETURN(const ObjectAge age,
                             observed->may_start
                                 ? AgeOf(context, record::IndexName(known.created, known.id), stop)
                                 : Result<ObjectAge>(ObjectAge::kOld));
    if (age == ObjectAge::kYoung) return Known(std::move(known));
    abandoned.evidence = "its processes are gone";
    abandoned.status = observed->status;
  } else {
    KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context.store, known.id, stop));
    if (!record) return CurrentState{std::move(known), {}, true};
    KINETIC_ASSIGN_OR_RETURN(const Liveness liveness, CheckLiveness(context, *record, stop));
    if (liveness.silent) {
      known.reason = *liveness.silent + "; it may be lost, which 'kinetic wait " + known.id +
                     "' finds out within 5 minutes";
    }
    if (!liveness.gone) return Known(std::move(known));
    abandoned.evidence = *liveness.gone;
    abandoned.is_elsewhere = liveness.is_elsewhere;
    abandoned.status = LastStatus(known);
  }
  auto reconciled = ReconcileJob(context, abandoned, stop);
  if (!reconciled && !store::IsStoreUnavailable(reconciled.error())) {
    return Failure(std::move(reconciled).error());
  }
  if (!reconciled) return NotStored(std::move(known), observed, std::move(reconciled).error());
  KINETIC_RETURN_IF_ERROR(ApplyResult(context, known, stop));
  return Known(std::move(known));
}

Status RefreshIndex(Context& context, std::string_view id, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context.store, id, stop));
  if (!record) return {};
  JobSummary summary = record::SummaryOf(*record);
  // The runner usually writes the index.
  KINETIC_ASSIGN_OR_RETURN(const bool ended,
                           record::IsIndexedAsEnded(*context.store, summary.created, id, stop));
  if (ended) return {};
  const auto applied = ApplyResult(context, summary, std::move(stop));
  if (!applied) return Failure(applied.error());
  return {};
}

Status IndexResult(Context& context, std::string_view id, const std::optional<JobSummary>& known,
                   const record::StoredOutcome& stored, std::stop_token stop) {
  // The index may list an earlier job with the same ID.
  const bool is_same = known && !known->nonce.empty() && known->nonce == stored.job.nonce;
  if (!is_same) return RefreshIndex(context, id, std::move(stop));
  JobSummary summary = *known;
  Apply(summary, stored);
  if (!summary.finished) return RefreshIndex(context, id, std::move(stop));
  return record::IndexEnd(*context.store, summary, std::move(stop));
}

}  // namespace kinetic::job
