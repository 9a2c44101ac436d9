#include "job/find.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "job/lifecycle/outcome.h"
#include "job/summary.h"
#include "jobspec/read/job_file.h"
#include "jobspec/schema/shape.h"
#include "record/index.h"
#include "record/object_names.h"
#include "record/task_id.h"
#include "record/task_record.h"
#include "store/damage.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace kinetic::job {
namespace {

Error Ambiguous(std::string_view prefix, const std::vector<JobSummary>& jobs) {
  constexpr std::size_t kShown = 5;
  std::string names;
  for (std::size_t i = 0; i < std::min(jobs.size(), kShown); ++i) {
    names += (i == 0 ? "" : ", ") + jobs[i].id;
  }
  if (jobs.size() > kShown) names += ", …";
  return Error{ErrorCode::kInvalidArgument,
               std::to_string(jobs.size()) + " jobs have an ID that begins with '" +
                   std::string(prefix) + "': " + names,
               "use a longer prefix",
               {}};
}

/// Validates an ID prefix or a name. Unlike an ID, a prefix may end with '-'.
Status CheckIdPrefix(std::string_view word) {
  if (jobspec::IsJobName(word)) return {};
  const auto last = word.find_last_not_of('-');
  const bool fine =
      last != std::string_view::npos && CheckJobId(word.substr(0, last + 1)).has_value();
  return fine ? Status() : CheckJobId(word);
}

/// The jobs that a word on the command line may select.
struct JobsLike {
  std::vector<JobSummary> with_prefix;  ///< their IDs begin with the word
  std::optional<JobSummary> own;        ///< the caller's newest job with this name
  std::uint64_t own_count = 0;          ///< of the caller's jobs with this name
  std::optional<JobSummary> other;      ///< another owner's newest job with this name
  std::set<std::string> names;          ///< of all jobs
};

Error NoSuchJob(std::string_view word, const JobsLike& jobs) {
  Error error{ErrorCode::kNotFound, "job " + std::string(word) + " does not exist", {}, {}};
  const std::vector<std::string> names(jobs.names.begin(), jobs.names.end());
  if (jobs.other) {
    error.hint = "a name selects your own jobs only; pass the ID of the job of " +
                 Printable(jobs.other->owner) + ": " + jobs.other->id;
  } else if (const auto nearest = Nearest(word, names)) {
    error.hint = "did you mean '" + *nearest + "'?";
  } else {
    error.hint = "list jobs with 'kinetic ps'";
  }
  return error;
}

/// Returns whether an index entry belongs to a job whose submission is complete.
Result<bool> IsSubmitted(Context& context, const JobSummary& job, const std::stop_token& stop) {
  if (IsTerminal(job.state)) return true;
  KINETIC_ASSIGN_OR_RETURN(const auto record,
                           context.store->Stat(record::RecordName(job.id), stop));
  return record.has_value();
}

/// Keeps the first job, which is the newest, in `kept`.
Status KeepNewest(Context& context, const JobSummary& job, std::optional<JobSummary>& kept,
                  const std::stop_token& stop) {
  if (kept) return {};
  KINETIC_ASSIGN_OR_RETURN(const bool whole, IsSubmitted(context, job, stop));
  if (whole) kept = job;
  return {};
}

/// Returns the newest job of the caller.
Result<JobSummary> FindLatestJob(Context& context, const std::stop_token& stop) {
  std::optional<JobSummary> latest;
  const auto take = [&](const JobSummary& job) -> Result<bool> {
    if (job.owner != context.options.owner) return true;
    KINETIC_ASSIGN_OR_RETURN(const bool whole, IsSubmitted(context, job, stop));
    if (whole) latest = job;
    return !whole;
  };
  KINETIC_RETURN_IF_ERROR(record::ListIndex(*context.store, take, stop));
  if (latest) return *std::move(latest);
  return Fail(ErrorCode::kNotFound, "no jobs of " + Printable(context.options.owner),
              "start one with 'kinetic run', or list the jobs of others with 'kinetic ps'");
}

/// Lists several prefixes concurrently.
Result<std::vector<store::ObjectInfo>> ListTogether(store::Store& store,
                                                    const std::vector<std::string>& prefixes,
                                                    const std::stop_token& stop) {
  std::vector<std::vector<store::ObjectInfo>> listed(prefixes.size());
  KINETIC_RETURN_IF_ERROR(ParallelFor(
      prefixes.size(), prefixes.size(), stop,
      [&](std::size_t i, const std::stop_token& stopping) -> Status {
        KINETIC_ASSIGN_OR_RETURN(listed[i], store::ListAll(store, prefixes[i], stopping));
        return {};
      }));
  std::vector<store::ObjectInfo> all;
  for (auto& part : listed) std::ranges::move(part, std::back_inserter(all));
  return all;
}

/// Returns whether a listed object is a folder that may contain another user's files, which this
/// user cannot remove. The store can only rename it.
bool IsClosed(const store::ObjectInfo& info) {
  return store::IsDenied(info) && info.name.ends_with('/');
}

Status RemoveObjects(Context& context, std::string_view id, Observer* observer,
                     const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(
      const auto objects,
      ListTogether(*context.store, {record::JobFolder(id), record::CheckpointFolder(id)}, stop));
  KINETIC_RETURN_IF_ERROR(context.store->RemoveAll(objects, stop));
  for (const store::ObjectInfo& info : objects) {
    if (observer == nullptr || !IsClosed(info)) continue;
    observer->OnWarning(
        store::DamageError(info).message +
        "; it was renamed to .damaged-…; its owner can remove it after a day with 'kinetic gc'");
  }
  return {};
}

/// Removes all index entries of a job, also damaged ones.
Status RemoveEntries(Context& context, std::string_view id, const std::stop_token& stop) {
  std::vector<store::ObjectInfo> entries;
  const auto take = [&](const store::ObjectInfo& info) -> Result<bool> {
    if (record::IdOfIndexName(info.name) == id) entries.push_back(info);
    return true;
  };
  KINETIC_RETURN_IF_ERROR(context.store->List(record::kIndexPrefix, "", take, stop));
  for (const auto& entry : entries) {
    KINETIC_RETURN_IF_ERROR(context.store->RemoveIfUnchanged(entry, stop));
  }
  return {};
}

/// Cancels a job that the target can reach.
Status EndJob(Context& context, const std::string& id, const std::stop_token& stop) {
  const auto elsewhere = WhyUnobservable(context, id, stop);
  if (!elsewhere) return Failure(elsewhere.error());
  if (*elsewhere) return Failure(**elsewhere);
  KINETIC_ASSIGN_OR_RETURN(const auto observed, context.target->Observe(id, stop));
  if (observed || context.target->Traits().is_remote) return CancelJob(context, id, stop);
  KINETIC_ASSIGN_OR_RETURN(const bool ended, EndOrphanedProcesses(context, id, stop));
  if (ended) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto record, context.store->Stat(record::RecordName(id), stop));
  return Fail(ErrorCode::kFailedPrecondition, record
                                                  ? "its supervisor left no trace on this machine"
                                                  : "the store has no record of it");
}

Status CheckNoTask(std::string_view id) {
  const auto task = record::ParseTaskId(id);
  if (!task) return {};
  return Fail(ErrorCode::kInvalidArgument, "a task cannot be removed alone: " + std::string(id),
              "remove its job: kinetic rm " + std::string(task->job));
}

}  // namespace

Status RemoveDuplicateEntries(Context& context, std::vector<JobSummary>& jobs,
                              const std::stop_token& stop) {
  std::map<std::string, std::size_t> entries;
  for (const JobSummary& job : jobs) ++entries[job.id];
  for (const auto& [id, count] : entries) {
    if (count == 1) continue;
    const auto read = ReadRecord(*context.store, id, stop);
    if (!read && read.error().code != ErrorCode::kDataLoss) return Failure(read.error());
    if (!read || !*read) continue;
    const record::Record& record = **read;
    std::erase_if(jobs, [&](const JobSummary& job) {
      return job.id == record.id && job.created != record.created;
    });
  }
  return {};
}

Result<JobSummary> FindJob(Context& context, std::string_view word, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(NamedJob found, FindNamedJob(context, word, std::move(stop)));
  return std::move(found.job);
}

Result<NamedJob> FindNamedJob(Context& context, std::string_view word, std::stop_token stop) {
  if (word == jobspec::kLatestJob) {
    KINETIC_ASSIGN_OR_RETURN(JobSummary latest, FindLatestJob(context, stop));
    return NamedJob{std::move(latest)};
  }
  if (const auto task = record::ParseTaskId(word)) {
    KINETIC_ASSIGN_OR_RETURN(NamedJob found, FindNamedJob(context, task->job, stop));
    KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context.store, found.job.id, stop));
    if (!record) return NoRecord(found.job.id);
    KINETIC_ASSIGN_OR_RETURN(const auto own, record::TaskRecord(*record, task->task));
    return NamedJob{record::SummaryOf(own)};
  }
  KINETIC_RETURN_IF_ERROR(CheckIdPrefix(word));
  JobsLike jobs;
  const auto take = [&](const JobSummary& job) -> Result<bool> {
    if (job.id.starts_with(word)) jobs.with_prefix.push_back(job);
    if (job.name == word) {
      const bool own = job.owner == context.options.owner;
      if (own) ++jobs.own_count;
      KINETIC_RETURN_IF_ERROR(KeepNewest(context, job, own ? jobs.own : jobs.other, stop));
    }
    jobs.names.insert(job.name);
    return job.id != word;
  };
  KINETIC_RETURN_IF_ERROR(record::ListIndex(*context.store, take, stop));
  auto& found = jobs.with_prefix;
  if (!found.empty() && found.back().id == word) return NamedJob{std::move(found.back())};
  if (jobs.own) return NamedJob{*std::move(jobs.own), jobs.own_count};
  if (found.empty() && CheckJobId(word)) {
    KINETIC_ASSIGN_OR_RETURN(const auto record, ReadRecord(*context.store, word, stop));
    if (record) return NamedJob{record::SummaryOf(*record)};
  }
  if (found.empty()) return Failure(NoSuchJob(word, jobs));
  KINETIC_RETURN_IF_ERROR(RemoveDuplicateEntries(context, found, stop));
  if (found.size() > 1) return Failure(Ambiguous(word, found));
  return NamedJob{std::move(found.front())};
}

Result<std::optional<record::Record>> FindNewestJob(Context& context, std::string_view name,
                                                    std::stop_token stop) {
  std::string last;
  const auto take = [&](const JobSummary& job) -> Result<bool> {
    if (job.name != name) return true;
    last = job.id;
    return false;
  };
  KINETIC_RETURN_IF_ERROR(record::ListIndex(*context.store, take, stop));
  if (last.empty()) return std::optional<record::Record>();
  return ReadRecord(*context.store, last, std::move(stop));
}

Status RemoveJob(Context& context, const JobSummary& job, std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckNoTask(job.id));
  auto now = RefreshState(context, job, stop);
  if (!now && now.error().code == ErrorCode::kDataLoss) {
    return Failure(
        std::move(now).error().Hint("to remove the job anyway: kinetic rm --force " + job.id));
  }
  if (!now) return Failure(std::move(now).error());
  if (now->not_stored) return Failure(*std::move(now->not_stored));
  if (!IsTerminal(now->summary.state)) {
    if (context.cluster_error) {
      Error why = *context.cluster_error;
      return Failure(std::move(why).Context("cannot confirm that job " + job.id + " has ended"));
    }
    KINETIC_ASSIGN_OR_RETURN(const bool is_incomplete,
                             IsIncompleteSubmission(context, now->summary, stop));
    if (is_incomplete) return RemoveStoredJob(context, job, std::move(stop));
    KINETIC_ASSIGN_OR_RETURN(const auto record,
                             context.store->Stat(record::RecordName(job.id), stop));
    if (!record) {
      const auto found = FindJob(context, job.id, stop);
      const bool is_removed =
          found ? found->id != job.id : found.error().code == ErrorCode::kNotFound;
      if (is_removed) return {};
      return Fail(
          ErrorCode::kFailedPrecondition,
          "job " + job.id + " is being submitted, or its submission was interrupted",
          "run the command again in a minute; to remove it now: kinetic rm --force " + job.id);
    }
    return Fail(ErrorCode::kFailedPrecondition, "job " + job.id + " is not finished",
                "cancel it: kinetic cancel " + job.id);
  }
  KINETIC_RETURN_IF_ERROR(context.target->Remove(job.id, stop));
  return RemoveStoredJob(context, job, std::move(stop));
}

Status RemoveStoredJob(Context& context, const JobSummary& job, std::stop_token stop) {
  store::Store& store = *context.store;
  KINETIC_ASSIGN_OR_RETURN(
      auto objects, ListTogether(store,
                                 {record::JobFolder(job.id), record::CheckpointFolder(job.id),
                                  record::IndexName(job.created, job.id)},
                                 stop));
  // Another job's entry may begin like the name of this one's.
  std::erase_if(objects, [&](const store::ObjectInfo& info) {
    return info.name.starts_with(record::kIndexPrefix) &&
           info.name != record::IndexName(job.created, job.id) &&
           info.name != record::EndedIndexName(job.created, job.id);
  });
  const auto closed = std::ranges::find_if(objects, IsClosed);
  if (closed != objects.end()) {
    return Failure(
        store::DamageError(*closed)
            .Context("cannot remove job " + job.id)
            .Hint("its owner can remove it; to hide the job instead: kinetic rm --force " +
                  job.id));
  }
  // The index entry comes last: a folder removes in this order. A bucket removes all objects in one
  // request; if some of them fail, the record still finds the job, and `gc` restores the entry.
  std::ranges::partition(objects, [](const store::ObjectInfo& info) {
    return !info.name.starts_with(record::kIndexPrefix);
  });
  KINETIC_ASSIGN_OR_RETURN(const auto removals, store.RemoveAll(objects, stop));
  const bool changed = std::ranges::find(removals, store::Removal::kChanged) != removals.end();
  return changed ? record::RemoveIndex(store, job.created, job.id, std::move(stop)) : Status();
}

Status ForceRemoveJob(Context& context, const JobSummary& job, Observer* observer,
                      std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckNoTask(job.id));
  Status ended;
  if (!IsTerminal(job.state)) ended = EndJob(context, job.id, stop);
  bool is_known = true;
  if (!ended) {
    if (stop.stop_requested()) return ended;
    const auto observed = context.target->Observe(job.id, stop);
    is_known = observed && *observed;
    if (is_known && (*observed)->alive) return ended;
    const std::string warning =
        is_known ? ended.error().message + "; its leftover files are discarded"
                 : "job " + job.id +
                       " is removed although it may not have ended: " + ended.error().message;
    if (observer != nullptr) observer->OnWarning(warning);
  }
  // What only this machine has is discarded last, when nothing else can fail.
  KINETIC_RETURN_IF_ERROR(RemoveObjects(context, job.id, observer, stop));
  if (is_known) KINETIC_RETURN_IF_ERROR(context.target->Remove(job.id, stop));
  return RemoveEntries(context, job.id, stop);
}

Result<std::optional<JobSummary>> FindRemains(Context& context, std::string_view id,
                                              const std::stop_token& stop) {
  if (!CheckJobId(id)) return std::nullopt;
  bool found = false;
  const auto note = [&](const store::ObjectInfo&) -> Result<bool> {
    found = true;
    return false;
  };
  for (const std::string& folder : {record::JobFolder(id), record::CheckpointFolder(id)})
    KINETIC_RETURN_IF_ERROR(context.store->List(folder, "", note, stop));
  if (!found) return std::nullopt;
  JobSummary remains;
  remains.id = id;
  return remains;
}

}  // namespace kinetic::job
