#include "job/list.h"

#include "base/parallel.h"
#include "base/try.h"
#include "job/find.h"
#include "job/patience.h"
#include "job/summary.h"
#include "record/index.h"
#include "record/layout.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace kinetic::job {
namespace {

/// How long a cluster that is not the client's own has for its answer.
constexpr std::chrono::seconds kPatience{3};
constexpr std::size_t kAtOnce = 8;

bool Matches(const JobSummary& job, const ListOptions& options) {
  return (options.name.empty() || job.name == options.name) &&
         (options.owner.empty() || job.owner == options.owner);
}

/// An index entry whose job was never written: its submission was interrupted.
Result<bool> IsGhost(Context& context, const JobSummary& job, const std::stop_token& stop) {
  if (IsTerminal(job.state)) return false;
  KINETIC_ASSIGN_OR_RETURN(const auto record,
                           context.store->Stat(record::RecordName(job.id), stop));
  if (record) return false;
  KINETIC_ASSIGN_OR_RETURN(const WallTime now, context.store->Now(stop));
  return std::chrono::abs(now - job.created) >= kSubmissionTakes;
}

/// What the targets of some jobs tell of them.
class Roll {
 public:
  Roll(OtherClusters& clusters, Observer* observer, std::stop_token stop)
      : clusters_(clusters), observer_(observer), stop_(std::move(stop)) {}

  /// The jobs with their present states, without those that never were.
  Result<std::vector<JobSummary>> Call(std::vector<JobSummary> jobs) {
    for (JobSummary& job : jobs) KINETIC_RETURN_IF_ERROR(Enter(std::move(job)));
    KINETIC_RETURN_IF_ERROR(
        Parallel(told_.size(), told_.size(), stop_,
                 [&](std::size_t i, const std::stop_token& stop) { return Ask(told_[i], stop); }));
    // On this machine there is nothing to wait for.
    const std::size_t threads = clusters_.own().target->UsesImages() ? kAtOnce : 1;
    KINETIC_RETURN_IF_ERROR(Parallel(
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
    std::shared_ptr<Context> context;  ///< null: it has ended
    bool ghost = false;
  };

  /// What one target tells.
  struct Told {
    Context& context;
    std::optional<target::Target::Observations> all = {};  ///< nothing: one by one
    std::optional<Error> silent = {};                      ///< why it tells nothing
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

  /// Where a job's cluster cannot be opened, the client's own is asked.
  Context& WhoAsks(Context& context) const { return context.elsewhere ? clusters_.own() : context; }

  std::vector<Told>::iterator By(Context& context) {
    return std::ranges::find_if(
        told_, [&](const Told& told) { return &told.context == &WhoAsks(context); });
  }

  bool IsOwn(const Told& told) const { return &told.context == &clusters_.own(); }

  /// That a cluster which is not the client's own cannot be asked spoils nothing but its own jobs.
  Status Ask(Told& told, const std::stop_token& stop) {
    if (IsOwn(told)) {
      KINETIC_RETURN_IF_ERROR(Settle(told, stop));
      KINETIC_ASSIGN_OR_RETURN(told.all, told.context.target->ObserveAll(stop));
      return {};
    }
    const Patience patience(clusters_.own().clock, kPatience, stop);
    auto all = told.context.target->ObserveAll(patience.token());
    if (all) {
      told.all = *std::move(all);
      (void)Settle(told, patience.token());
      return {};
    }
    if (stop.stop_requested()) return Failure(all.error());
    told.silent = std::move(all).error();
    if (patience.token().stop_requested()) {
      told.silent->message = "no answer within " + std::to_string(kPatience.count()) + " s";
    }
    told.silent->message = "its cluster, " + told.context.target->Identity() +
                           ", cannot be asked: " + told.silent->message;
    return {};
  }

  /// Has what others left there settled; on this machine that is done by now.
  static Status Settle(const Told& told, const std::stop_token& stop) {
    if (!told.context.target->UsesImages()) return {};
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

  /// One that has ended is being settled, and is not waited for.
  static Status Show(Entry& entry, const target::Observation& seen, const std::stop_token& stop) {
    if (seen.alive) {
      entry.job = WithObservation(std::move(entry.job), seen);
      return {};
    }
    KINETIC_ASSIGN_OR_RETURN(entry.job, AfterEnd(*entry.context, std::move(entry.job), seen, stop));
    return {};
  }

  /// Leaves a job as it was last seen.
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
  // Collected before they are looked at: looking may bring the index up to date.
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
