#include "job/gc/jobs.h"

#include "kinetic/try.h"

#include "job/find.h"
#include "job/gc/garbage.h"
#include "job/lifecycle/reconcile.h"
#include "job/summary.h"
#include "record/object_names.h"

#include <set>
#include <utility>

namespace kinetic::job {
namespace {

/// Restores lost index entries, without which no command lists the jobs, and adds these jobs.
Status RestoreEntries(Collection& gc) {
  std::set<std::string, std::less<>> indexed;
  for (const JobSummary& job : gc.jobs) indexed.insert(job.id);
  for (const auto& [id, bytes] : gc.referrers.bytes_of_job) {
    if (indexed.contains(id) || !CheckJobId(id)) continue;
    const auto record = ReadRecord(*gc.context.store, id, gc.stop);
    if (!record && record.error().code != ErrorCode::kDataLoss) return Failure(record.error());
    if (!record || !*record) continue;
    // A young record may belong to an ongoing submission, and an absent one was just removed.
    KINETIC_ASSIGN_OR_RETURN(const ObjectAge age,
                             AgeOf(gc.context, record::RecordName(id), gc.stop));
    if (age != ObjectAge::kOld) continue;
    gc.jobs.push_back(record::SummaryOf(**record));
    gc.report.warnings.push_back("job " + id +
                                 " has no entry in the index; 'kinetic gc' restores it");
    if (gc.options.dry_run) continue;
    KINETIC_RETURN_IF_ERROR(record::CreateIndex(*gc.context.store, gc.jobs.back(), gc.stop));
    gc.report.warnings.back() = "restored the index entry of job " + id;
  }
  return {};
}

/// Returns whether to remove a job: by age if it has ended, after one day if it was never
/// submitted. A job that was not `listed` as ended has just ended.
Result<bool> ShouldRemove(const Collection& gc, const JobSummary& job, JobState listed) {
  const auto written = gc.index.written.find(job.id);
  const auto is_older = [&](WallTime::duration age) {
    return written != gc.index.written.end() && store::IsOlder(written->second, gc.now, age);
  };
  if (!IsTerminal(job.state)) {
    if (!is_older(kIncompleteJobRetention)) return false;
    KINETIC_ASSIGN_OR_RETURN(const bool has_record, gc.HasRecord(job.id));
    return !has_record;
  }
  return gc.options.jobs_older_than && IsTerminal(listed) && is_older(*gc.options.jobs_older_than);
}

Status CollectJob(Collection& gc, const JobSummary& indexed, GarbageReport::Class& found) {
  KINETIC_ASSIGN_OR_RETURN(const JobSummary job, Refresh(gc.context, indexed, gc.stop));
  KINETIC_ASSIGN_OR_RETURN(const bool is_unused, ShouldRemove(gc, job, indexed.state));
  Count(found, gc.referrers.bytes_of_job[job.id], is_unused);
  if (!is_unused) return {};
  gc.report.removed.push_back(record::JobFolder(job.id));
  if (!gc.options.dry_run) {
    KINETIC_RETURN_IF_ERROR(IsTerminal(job.state) ? RemoveJob(gc.context, job, gc.stop)
                                                  : RemoveStoredJob(gc.context, job, gc.stop));
  }
  gc.referrers.jobs.erase(job.id);
  std::erase_if(gc.referrers.checkpoints, [&](const auto& each) { return each.id == job.id; });
  return {};
}

}  // namespace

Status CollectJobs(Collection& gc) {
  GarbageReport::Class found{.name = "jobs",
                             .why_kept = gc.options.jobs_older_than
                                             ? "not ended, or ended more recently"
                                             : "kinetic rm or --jobs-older-than removes them"};
  KINETIC_RETURN_IF_ERROR(RestoreEntries(gc));
  for (const JobSummary& indexed : gc.jobs) {
    const Status collected = CollectJob(gc, indexed, found);
    if (collected) continue;
    if (collected.error().code != ErrorCode::kDataLoss) return collected;
    found.kept += 1;
    gc.Warn(collected.error(), "to remove the job: kinetic rm --force " + indexed.id);
  }
  gc.report.classes.push_back(std::move(found));
  return {};
}

Status CollectCheckpoints(Collection& gc) {
  for (auto& checkpoint : std::exchange(gc.referrers.checkpoints, {})) {
    const bool is_young = !gc.IsOlder(checkpoint.info, kIncompleteJobRetention);
    bool is_needed = is_young || gc.referrers.jobs.contains(checkpoint.id);
    if (!is_needed) {
      KINETIC_ASSIGN_OR_RETURN(is_needed, gc.HasRecord(checkpoint.id));
    }
    if (is_needed) {
      gc.referrers.checkpoints.push_back(std::move(checkpoint));
      continue;
    }
    gc.report.removed.push_back(checkpoint.info.name);
    if (gc.options.dry_run) continue;
    KINETIC_RETURN_IF_ERROR(gc.context.store->RemoveIfUnchanged(checkpoint.info, gc.stop));
  }
  return {};
}

Status VerifyJobs(Collection& gc) {
  for (const JobSummary& job : gc.jobs) {
    if (!gc.referrers.jobs.contains(job.id)) continue;
    const auto warn = [&](const Error& error) {
      gc.Warn(error, "to remove the job: kinetic rm --force " + job.id);
    };
    KINETIC_RETURN_IF_ERROR(VerifyJob(gc.context, job.id, warn, gc.stop));
  }
  return {};
}

}  // namespace kinetic::job
