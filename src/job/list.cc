#include "backend/capabilities.h"
#include "base/concurrency/parallel.h"
#include "base/try.h"
#include "job/find.h"
#include "job/lifecycle/fallback_notice.h"
#include "job/summary.h"
#include "record/index.h"
#include "record/object_names.h"

#include <algorithm>
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

bool Matches(const JobSummary& job, const ListOptions& options) {
  return (options.name.empty() || job.name == options.name) &&
         (options.owner.empty() || job.owner == options.owner);
}

/// Returns whether an index entry has no job, because its submission was interrupted.
Result<bool> IsGhost(Context& context, const JobSummary& job, const std::stop_token& stop) {
  if (IsTerminal(job.state)) return false;
  KINETIC_ASSIGN_OR_RETURN(const auto record,
                           context.store->Stat(record::RecordName(job.id), stop));
  if (record) return false;
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, context.store->Now(stop));
  return std::chrono::abs(now - job.created) >= kSubmissionTakes;
}

/// The observations of jobs on several targets.
class Roll {
 public:
  Roll(OtherClusters& clusters, Observer* observer, std::stop_token stop)
      : clusters_(clusters), observer_(observer), stop_(std::move(stop)) {}

  /// Returns the jobs with their current states, without entries of jobs that were never submitted.
  Result<std::vector<JobSummary>> Call(std::vector<JobSummary> jobs) {
    for (JobSummary& job : jobs) KINETIC_RETURN_IF_ERROR(Enter(std::move(job)));
    KINETIC_RETURN_IF_ERROR(ParallelFor(
        told_.size(), told_.size(), stop_,
        [&](std::size_t i, const std::stop_token& stop) { return Ask(told_[i], stop); }));
    // Local operations do not wait for a network.
    const std::size_t threads = clusters_.own().IsOnCluster() ? kMaxConcurrentReads : 1;
    KINETIC_RETURN_IF_ERROR(ParallelFor(
        threads, entries_.size(), stop_,
        [&](std::size_t i, const std::stop_token& stop) { return Update(entries_[i], stop); }));
    for (const std::string& doubt : doubts_) {
      if (observer_ != nullptr) observer_->OnWarning(doubt);
    }
    std::vector<JobSummary> called;
    for (Entry& entry : entries_) {
      if (!entry.ghost) called.push_back(std::move(entry.job));
    }
    return called;
  }

 private:
  struct Entry {
    JobSummary job;
    std::shared_ptr<Context> context;  ///< null: the job has ended
    bool ghost = false;
  };

  /// The observations of one target.
  struct Told {
    Context& context;
    std::optional<backend::Observations> all = {};  ///< nullopt: query each job separately
    std::optional<Error> silent = {};               ///< why the target did not respond
  };

  Status Enter(JobSummary job) {
    std::shared_ptr<Context> context;
    if (!IsTerminal(job.state)) {
      KINETIC_ASSIGN_OR_RETURN(context, clusters_.Of(job, stop_));
      if (By(*context) == told_.end()) told_.push_back({WhoAsks(*context)});
    }
    entries_.push_back({std::move(job), std::move(context)});
    return {};
  }

  /// Uses the client's own target if the job's cluster cannot be opened.
  Context& WhoAsks(Context& context) const { return context.elsewhere ? clusters_.own() : context; }

  std::vector<Told>::iterator By(Context& context) {
    return std::ranges::find_if(
        told_, [&](const Told& told) { return &told.context == &WhoAsks(context); });
  }

  bool IsOwn(const Told& told) const { return &told.context == &clusters_.own(); }

  /// Failures of other clusters affect only the jobs on those clusters.
  Status Ask(Told& told, const std::stop_token& stop) {
    backend::ClusterApi* const cluster = told.context.target->cluster_api();
    if (cluster == nullptr) return {};
    if (IsOwn(told)) {
      KINETIC_RETURN_IF_ERROR(Settle(told, stop));
      KINETIC_ASSIGN_OR_RETURN(told.all, cluster->ObserveAll(stop));
      return {};
    }
    const Patience patience(clusters_.own().clock, kClusterTimeout, stop);
    auto all = cluster->ObserveAll(patience.token());
    if (all) {
      told.all = *std::move(all);
      (void)Settle(told, patience.token());
      return {};
    }
    if (stop.stop_requested()) return Failure(all.error());
    told.silent = std::move(all).error();
    if (patience.token().stop_requested()) {
      told.silent->message = "no answer within " + std::to_string(kClusterTimeout.count()) + " s";
    }
    told.silent->message = "its cluster, " + told.context.target->Identity() +
                           ", cannot be asked: " + told.silent->message;
    return {};
  }

  /// Reconciles abandoned jobs on the cluster.
  static Status Settle(const Told& told, const std::stop_token& stop) {
    told.context.settling.Begin(told.context);
    return told.context.settling.Await({}, stop);
  }

  Status Update(Entry& entry, const std::stop_token& stop) {
    if (!entry.context) return {};
    const Told& told = *By(*entry.context);
    if (told.silent) return Doubt(entry, *told.silent);
    if (told.all) {
      const auto seen = told.all->find(entry.job.id);
      if (seen != told.all->end()) return Show(entry, seen->second, stop);
    }
    auto now = Refresh(*entry.context, entry.job, stop);
    if (!now && !IsOwn(told) && !stop.stop_requested()) return Doubt(entry, now.error());
    KINETIC_ASSIGN_OR_RETURN(entry.job, std::move(now));
    const auto& elsewhere = entry.context->elsewhere;
    if (elsewhere && !IsTerminal(entry.job.state)) return Doubt(entry, *elsewhere);
    KINETIC_ASSIGN_OR_RETURN(entry.ghost, IsGhost(*entry.context, entry.job, stop));
    return {};
  }

  /// An ended job is being reconciled. The list does not wait for it.
  static Status Show(Entry& entry, const backend::Observation& seen, const std::stop_token& stop) {
    if (seen.alive) {
      entry.job = WithObservation(std::move(entry.job), seen);
      return {};
    }
    KINETIC_ASSIGN_OR_RETURN(entry.job, AfterEnd(*entry.context, std::move(entry.job), seen, stop));
    return {};
  }

  /// Keeps a job's last known state.
  Status Doubt(Entry& entry, const Error& why) {
    entry.job = AsLastSeen(std::move(entry.job), why);
    const std::lock_guard lock(mutex_);
    doubts_.insert(why.hint.empty() ? why.message : why.message + " (" + why.hint + ")");
    return {};
  }

  OtherClusters& clusters_;
  Observer* const observer_;
  const std::stop_token stop_;
  std::vector<Told> told_;
  std::vector<Entry> entries_;
  std::mutex mutex_;
  std::set<std::string> doubts_;
};

}  // namespace

Result<std::vector<JobSummary>> ListJobs(OtherClusters& clusters, const ListOptions& options,
                                         std::stop_token stop) {
  // Collects all entries first, because observing a job may update the index.
  std::vector<JobSummary> jobs;
  const auto take = [&](const JobSummary& job) -> Result<bool> {
    if (Matches(job, options)) jobs.push_back(job);
    return options.state || !options.limit || jobs.size() < *options.limit;
  };
  auto& store = *clusters.own().store;
  KINETIC_RETURN_IF_ERROR(record::ListIndex(store, take, stop));
  KINETIC_RETURN_IF_ERROR(LeaveOutTwins(clusters.own(), jobs, stop));
  KINETIC_ASSIGN_OR_RETURN(jobs, Roll(clusters, options.observer, stop).Call(std::move(jobs)));
  if (options.state) {
    std::erase_if(jobs, [&](const JobSummary& job) { return job.state != *options.state; });
  }
  if (options.limit && jobs.size() > *options.limit) jobs.resize(*options.limit);
  return jobs;
}

}  // namespace kinetic::job
