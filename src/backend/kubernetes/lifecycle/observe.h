#pragma once

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/kubernetes/snapshot/job_monitor.h"
#include "backend/target.h"
#include "base/time/clock.h"
#include "kube/client.h"
#include "record/status.h"
#include "store/object_store.h"

#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// Returns the state of a job on its cluster from its Job and pods. Only the store decides how the
/// job ended. The reason is the headline of Explain, so that clients show why a job waits.
///
/// - queued: suspended, or Kueue has not admitted it;
/// - pending: no container of the program has started;
/// - running: it has, and the pod is active or the collector is storing results;
/// - succeeded, failed, preempted, cancelled, lost: the Job has its final condition, or does not
///   exist. Conditions decide, not counts. `failed` includes failures outside the program; see
///   Explain.
///
/// The attempt is the number of pods that were tried. The timeline has the known ones of "created",
/// "admitted", "scheduled", "pulling", "pulled", "collector started", "started" (the program's
/// container), "terminated" and "finished" of the last pod, in this order, by the server's clock.
record::AttemptStatus StateOf(const SnapshotView& view);

/// Returns the state of a job as a target reports it.
Observation ObservationOf(const ClusterSnapshot& snapshot, WallTime now);

/// Return the state of a job whose Job was deleted, and the reason. Such a job is active until its
/// pods end, because they store its results. Return nullopt if they have ended.
std::optional<Observation> ObserveDeleted(const ClusterSnapshot& snapshot, WallTime now);
std::optional<Explanation> ExplainDeleted(const ClusterSnapshot& snapshot, WallTime now);

/// A job on a cluster, with everything that watches or changes it. The members must outlive it.
struct WatchedJob {
  JobMonitor& monitor;
  const kube::Client& client;
  std::string_view name_space;
  store::Store& store;
  Clock& clock;
  std::string_view id;
};

/// Implements Target::Watch for a job on a cluster. The first of these reports the end: the
/// collector's last line, the job's container, the Job's condition. Ends a job that does not start
/// within timeouts.pending or can never start.
Status WatchJob(const WatchedJob& job, const std::function<Status(const Observation&)>& each,
                std::stop_token stop);

/// Implements Target::WatchEnds with a watch of the pods in a namespace, without those of
/// arrays.
Status WatchEnds(const kube::Client& client, std::string_view name_space,
                 const std::function<void(std::string_view id)>& ended, std::stop_token stop);

/// Lists all Jobs of one store in a namespace. Several queries share one listing.
///
/// @threads  safe to call concurrently.
class JobListing {
 public:
  /// All parameters must outlive this object.
  JobListing(const kube::Client& client, std::string_view name_space, std::string_view store,
             Clock& clock)
      : client_(client), name_space_(name_space), store_(store), clock_(clock) {}

  /// Implements Target::ObserveAll from the Jobs, without their pods. Reuses a recent listing.
  Result<Observations> ObserveAll(std::stop_token stop);

  /// Implements Target::Sweep: returns the Jobs that have ended.
  Result<std::vector<AbandonedJob>> FindAbandoned(std::stop_token stop);

 private:
  struct Listed {
    SteadyTime when;
    Observations observations;
    std::vector<AbandonedJob> abandoned;
  };
  Result<Listed> List(const std::stop_token& stop);

  const kube::Client& client_;
  const std::string name_space_;
  const std::string store_;
  Clock& clock_;
  std::mutex mutex_;
  std::optional<Listed> last_;
};

}  // namespace kinetic::backend
