#pragma once

#include "backend/capabilities.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/target.h"
#include "kube/client.h"
#include "record/status.h"

#include <cstdint>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// How a job stands on its cluster, by its Job and its pods; what is in the store is the truth
/// about its end. Its reason is the headline of Explain, so that whoever follows a waiting job sees
/// why it waits.
///
/// - queued: suspended, or Kueue has not admitted it;
/// - pending: no container of the program has started;
/// - running: it has, and the pod has not ended; also while the collector stores what is left;
/// - succeeded, failed, preempted, cancelled, lost: the Job has its final condition, or is gone.
///   Conditions decide, not counts. `failed` may be the program's or not: Explain tells.
///
/// The attempt is the number of pods that were tried. The timeline has, in order and where known,
/// "created", "admitted", "scheduled", "pulling", "pulled", "collector started", "started" (the
/// program's container), "terminated", "finished", by the server's clock; of the last pod.
record::AttemptStatus StateOf(const PodSituation& situation);

/// How much is asked about a job.
enum class Depth : std::uint8_t {
  kState,  ///< its Job and its pods
  kEnd,    ///< also their events, and the nodes of these pods
  kCause,  ///< also their events, all nodes, and the quotas of the namespace
};

/// What the cluster knows of a job just now, by requests that are sent at once where none needs
/// another's answer. What may not be seen is left out, but for the Job itself and its pods.
Result<Observed> LookAtJob(const kube::Client& client, std::string_view name_space,
                           std::string_view id, Depth depth, std::stop_token stop);

/// How the job stands.
Observation ObservationOf(const Observed& observed, WallTime now);

/// All Jobs of one store in one namespace, by one listing, which serves several questions.
///
/// @threads  safe to call concurrently.
class JobListing {
 public:
  /// All of them outlive it.
  JobListing(const kube::Client& client, std::string_view name_space, std::string_view store,
             Clock& clock)
      : client_(client), name_space_(name_space), store_(store), clock_(clock) {}

  /// ClusterApi::ObserveAll, without the pods: what the Jobs themselves tell. A listing that was made
  /// a moment ago is taken once more.
  Result<Observations> ObserveAll(std::stop_token stop);

  /// Target::Sweep: the Jobs that have ended.
  Result<std::vector<Target::LostJob>> FindAbandoned(std::stop_token stop);

 private:
  struct Listed {
    SteadyTime when;
    Observations observations;
    std::vector<Target::LostJob> abandoned;
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
