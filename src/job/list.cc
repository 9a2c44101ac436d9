#include "kinetic/try.h"

#include "backend/capabilities.h"
#include "base/concurrency/parallel.h"
#include "base/time/clock.h"
#include "http/last_cause.h"
#include "job/find.h"
#include "job/summary.h"
#include "record/index.h"
#include "record/object_names.h"
#include "store/age.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace kinetic::job {
namespace {

/// Timeout for clusters other than the client's own.
constexpr std::chrono::seconds kClusterTimeout{3};
constexpr std::size_t kMaxConcurrentReads = 8;

bool HasTags(const JobSummary& job, const std::map<std::string, std::string>& tags) {
  return std::ranges::all_of(tags, [&](const auto& tag) {
    const auto found = job.tags.find(tag.first);
    return found != job.tags.end() && found->second == tag.second;
  });
}

bool Matches(const JobSummary& job, const ListOptions& options) {
  return (options.name.empty() || job.name == options.name) &&
         (options.owner.empty() || job.owner == options.owner) && HasTags(job, options.tags);
}

std::size_t CommonPrefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

/// Returns the shortest prefix of `id` that no other of the sorted IDs has. Only the neighbors can
/// share the longest one.
std::string UniquePrefix(const std::string& id, const std::set<std::string>& ids) {
  const auto next = ids.upper_bound(id);
  const auto own = ids.lower_bound(id);
  std::size_t shared = next == ids.end() ? 0 : CommonPrefix(id, *next);
  if (own != ids.begin()) shared = std::max(shared, CommonPrefix(id, *std::prev(own)));
  return id.substr(0, shared + 1);
}

/// Keeps the jobs whose newest index entry is older than `age`.
Status KeepOlder(Context& context, std::chrono::milliseconds age,
                 const record::IndexObjects& objects, std::vector<JobSummary>& jobs,
                 const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const WallTime now,
                           store::AgreedNow(*context.store, context.clock, stop));
  std::erase_if(jobs, [&](const JobSummary& job) {
    const auto written = objects.written.find(job.id);
    return written == objects.written.end() || !store::IsOlder(written->second, now, age);
  });
  return {};
}

/// The observations of jobs on several targets.
class JobStateQuery {
 public:
  JobStateQuery(ClusterContexts& clusters, Observer* observer, std::stop_token stop)
      : clusters_(clusters), observer_(observer), stop_(std::move(stop)) {}

  /// Returns the jobs with their current states, without entries of jobs that were never submitted.
  Result<std::vector<JobSummary>> Run(std::vector<JobSummary> jobs) {
    for (JobSummary& job : jobs) KINETIC_RETURN_IF_ERROR(Add(std::move(job)));
    KINETIC_RETURN_IF_ERROR(ParallelFor(
        targets_.size(), targets_.size(), stop_,
        [&](std::size_t i, const std::stop_token& stop) { return Query(targets_[i], stop); }));
    const std::size_t threads =
        clusters_.own().target->Traits().is_remote ? kMaxConcurrentReads : 1;
    KINETIC_RETURN_IF_ERROR(ParallelFor(
        threads, entries_.size(), stop_,
        [&](std::size_t i, const std::stop_token& stop) { return Update(entries_[i], stop); }));
    for (const std::string& warning : warnings_) {
      if (observer_ != nullptr) observer_->OnWarning(warning);
    }
    std::vector<JobSummary> current;
    for (Entry& entry : entries_) {
      if (!entry.is_incomplete) current.push_back(std::move(entry.job));
    }
    return current;
  }

 private:
  struct Entry {
    JobSummary job;
    std::shared_ptr<Context> context;  ///< null: the job has ended
    bool is_incomplete = false;
  };

  /// The observations of one target.
  struct TargetStates {
    Context& context;
    std::optional<backend::Observations> observations = {};  ///< nullopt: query each job separately
    std::optional<Error> error = {};                         ///< why the target did not respond
  };

  Status Add(JobSummary job) {
    std::shared_ptr<Context> context;
    if (!IsTerminal(job.state)) {
      KINETIC_ASSIGN_OR_RETURN(context, clusters_.ForJob(job, stop_));
      if (FindTarget(*context) == targets_.end()) targets_.push_back({QueriedContext(*context)});
    }
    entries_.push_back({std::move(job), std::move(context)});
    return {};
  }

  /// Uses the client's own target if the job's cluster cannot be opened.
  Context& QueriedContext(Context& context) const {
    return context.cluster_error ? clusters_.own() : context;
  }

  std::vector<TargetStates>::iterator FindTarget(Context& context) {
    return std::ranges::find_if(targets_, [&](const TargetStates& target) {
      return &target.context == &QueriedContext(context);
    });
  }

  bool IsOwn(const TargetStates& target) const { return &target.context == &clusters_.own(); }

  /// Failures of other clusters affect only the jobs on those clusters.
  Status Query(TargetStates& target, const std::stop_token& stop) {
    backend::Target& queried = *target.context.target;
    if (!queried.Traits().is_remote) return {};
    if (IsOwn(target)) {
      KINETIC_RETURN_IF_ERROR(Reconcile(target, stop));
      KINETIC_ASSIGN_OR_RETURN(target.observations, queried.ObserveAll(stop));
      return {};
    }
    const Deadline deadline(kClusterTimeout, stop);
    auto all = queried.ObserveAll(deadline.token());
    if (all) {
      target.observations = *std::move(all);
      (void)Reconcile(target, deadline.token());
      return {};
    }
    if (stop.stop_requested()) return Failure(all.error());
    target.error = std::move(all).error();
    if (deadline.expired()) {
      target.error->message = "no response within " + std::to_string(kClusterTimeout.count()) +
                              " s" + http::CauseSuffix(*target.error);
    }
    target.error->message = "its cluster, " + target.context.target->Identity() +
                            ", is unreachable: " + target.error->message;
    return {};
  }

  /// Reconciles abandoned jobs on the cluster.
  static Status Reconcile(const TargetStates& target, const std::stop_token& stop) {
    target.context.reconciler.Start(target.context);
    return target.context.reconciler.Wait({}, stop);
  }

  Status Update(Entry& entry, const std::stop_token& stop) {
    if (!entry.context) return {};
    const TargetStates& target = *FindTarget(*entry.context);
    if (target.error) return KeepLastState(entry, *target.error);
    if (target.observations) {
      const auto seen = target.observations->find(entry.job.id);
      if (seen != target.observations->end()) return ApplyObservation(entry, seen->second, stop);
    }
    auto now = RefreshState(*entry.context, entry.job, stop);
    // Damaged objects of one job do not hide the others.
    const bool is_damaged = !now && now.error().code == ErrorCode::kDataLoss;
    if (is_damaged || (!now && !IsOwn(target) && !stop.stop_requested())) {
      return KeepLastState(entry, now.error());
    }
    if (!now) return Failure(std::move(now).error());
    if (now->not_stored) Warn(*now->not_stored);
    entry.job = std::move(now->summary);
    const auto& cluster_error = entry.context->cluster_error;
    if (cluster_error && !IsTerminal(entry.job.state)) return KeepLastState(entry, *cluster_error);
    KINETIC_ASSIGN_OR_RETURN(entry.is_incomplete,
                             IsIncompleteSubmission(*entry.context, entry.job, stop));
    return {};
  }

  /// An ended job is being reconciled. The list does not wait for it.
  static Status ApplyObservation(Entry& entry, const backend::Observation& seen,
                                 const std::stop_token& stop) {
    if (seen.alive) {
      entry.job = WithObservation(std::move(entry.job), seen);
      return {};
    }
    KINETIC_ASSIGN_OR_RETURN(entry.job,
                             SummarizeEndedJob(*entry.context, std::move(entry.job), seen, stop));
    return {};
  }

  /// Keeps a job's last known state.
  Status KeepLastState(Entry& entry, const Error& why) {
    entry.job = WithLastKnownState(std::move(entry.job), why);
    Warn(why);
    return {};
  }

  void Warn(const Error& why) {
    const std::lock_guard lock(mutex_);
    warnings_.insert(why.hint.empty() ? why.message : why.message + " (" + why.hint + ")");
  }

  ClusterContexts& clusters_;
  Observer* const observer_;
  const std::stop_token stop_;
  std::vector<TargetStates> targets_;
  std::vector<Entry> entries_;
  std::mutex mutex_;
  std::set<std::string> warnings_;
};

}  // namespace

Result<std::vector<JobSummary>> ListJobs(ClusterContexts& clusters, const ListOptions& options,
                                         std::stop_token stop) {
  // Collects all entries first, because observing a job may update the index.
  std::vector<JobSummary> jobs;
  std::set<std::string> ids;
  record::IndexObjects objects;
  const bool takes_all = options.state || options.older_than || !options.limit;
  const auto take = [&](const JobSummary& job) -> Result<bool> {
    const bool full = !takes_all && jobs.size() >= *options.limit;
    if (!full && Matches(job, options)) jobs.push_back(job);
    if (options.unique_prefixes) ids.insert(job.id);
    return options.unique_prefixes || takes_all || jobs.size() < *options.limit;
  };
  auto& store = *clusters.own().store;
  KINETIC_RETURN_IF_ERROR(record::ListIndex(store, take, stop, &objects));
  KINETIC_RETURN_IF_ERROR(RemoveDuplicateEntries(clusters.own(), jobs, stop));
  if (options.older_than) {
    KINETIC_RETURN_IF_ERROR(KeepOlder(clusters.own(), *options.older_than, objects, jobs, stop));
  }
  std::set<std::string> active;
  for (const JobSummary& job : jobs) {
    if (!IsTerminal(job.state)) active.insert(job.id);
  }
  KINETIC_ASSIGN_OR_RETURN(jobs,
                           JobStateQuery(clusters, options.observer, stop).Run(std::move(jobs)));
  std::erase_if(jobs, [&](const JobSummary& job) {
    const bool just_ended = IsTerminal(job.state) && active.contains(job.id);
    return (options.state && job.state != *options.state) || (options.older_than && just_ended);
  });
  if (options.limit && jobs.size() > *options.limit) jobs.resize(*options.limit);
  if (options.unique_prefixes) {
    for (JobSummary& job : jobs) job.unique_prefix = UniquePrefix(job.id, ids);
  }
  return jobs;
}

}  // namespace kinetic::job
