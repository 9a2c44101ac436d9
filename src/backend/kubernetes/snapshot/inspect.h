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

/// Returns the state of a job on its cluster from its Job and pods. Only the store decides how the
/// job ended. The reason is the headline of Explain, so that clients show why a job waits.
///
/// - queued: suspended, or Kueue has not admitted it;
/// - pending: no container of the program has started;
/// - running: it has, and the pod has not ended, or the collector is storing results;
/// - succeeded, failed, preempted, cancelled, lost: the Job has its final condition, or does not
///   exist. Conditions decide, not counts. `failed` includes failures outside the program; see
///   Explain.
///
/// The attempt is the number of pods that were tried. The timeline has the known ones of "created",
/// "admitted", "scheduled", "pulling", "pulled", "collector started", "started" (the program's
/// container), "terminated" and "finished" of the last pod, in this order, by the server's clock.
record::AttemptStatus StateOf(const PodSituation& situation);

/// What is queried about a job.
enum class Depth : std::uint8_t {
  kState,  ///< its Job and its pods
  kEnd,    ///< also their events, and the nodes of these pods
  kCause,  ///< also their events, all nodes, and the quotas of the namespace
};

/// Queries the cluster for a job, with concurrent requests where possible. Skips resources that the
/// account cannot read, except for the Job and its pods.
Result<Observed> LookAtJob(const kube::Client& client, std::string_view name_space,
                           std::string_view id, Depth depth, std::stop_token stop);

/// Returns the state of a job.
Observation ObservationOf(const Observed& observed, WallTime now);

/// Lists all Jobs of one store in a namespace. Several queries share one listing.
///
/// @threads  safe to call concurrently.
class JobListing {
 public:
  /// All parameters must outlive this object.
  JobListing(const kube::Client& client, std::string_view name_space, std::string_view store,
             Clock& clock)
      : client_(client), name_space_(name_space), store_(store), clock_(clock) {}

  /// Implements ClusterApi::ObserveAll from the Jobs, without their pods. Reuses a recent listing.
  Result<Observations> ObserveAll(std::stop_token stop);

  /// Implements Target::Sweep: returns the Jobs that have ended.
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
