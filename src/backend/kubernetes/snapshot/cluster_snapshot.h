#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/kubernetes/manifest/names.h"
#include "base/time/clock.h"
#include "kube/client.h"
#include "pod/log_line.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// Objects of a cluster, owned by the observer.
using Objects = std::vector<const Value*>;

/// Requests in the job file that its manifests do not show.
struct RequestedLimits {
  std::string accelerator;                           ///< as in the job file; empty: none
  std::optional<std::chrono::milliseconds> pending;  ///< timeouts.pending
  std::optional<std::chrono::milliseconds> run;      ///< timeouts.run, of one attempt
};

/// The observed state of one job on a cluster, as returned by the API server: the only input of
/// StateOf and Explain. Only `job_id` and `now` are required. Missing objects make an explanation
/// less detailed, not wrong.
struct SnapshotView {
  std::string job_id;
  const Value* job = nullptr;         ///< null: it does not exist
  bool job_existed = false;           ///< it existed before, or its creation was acknowledged
  bool has_begun = false;             ///< its program runs, or has run
  Objects pods;                       ///< of the Job, in any order; of an array, only one of them
  Objects events;                     ///< about the Job, its pods and its workload, in any order
  Objects nodes;                      ///< all; empty if they cannot be listed
  bool nodes_known = false;           ///< whether `nodes` is complete
  Objects other_pods;                 ///< of all namespaces: they use resources of nodes
  Objects quotas;                     ///< ResourceQuotas of the namespace
  const Value* name_space = nullptr;  ///< its Namespace; null if it cannot be read
  const Value* workload = nullptr;    ///< Kueue's; null if there is none
  /// Kueue's PendingWorkloadsSummary of its LocalQueue; null if it cannot be read.
  const Value* pending_workloads = nullptr;
  RequestedLimits requested;
  WallTime now;  ///< by the server's clock
};

/// The observed state of one job, which owns its objects.
struct ClusterSnapshot {
  std::string job_id;
  std::optional<Value> job;
  bool job_existed = false;
  std::map<std::string, Value> pods;  ///< by uid
  std::map<std::string, Value> events;
  std::vector<Value> nodes;
  bool nodes_known = false;
  std::vector<std::string> missing_nodes;  ///< nodes of its pods that no longer exist
  std::vector<Value> other_pods;
  std::vector<Value> quotas;
  std::optional<Value> workload;
  std::optional<pod::EndLine> end;  ///< the collector's last line, if it was read

  /// Returns the input of StateOf and Explain. It is valid until this object changes or ends.
  SnapshotView ViewAt(WallTime now) const;

  /// Returns the job's pods, oldest first.
  std::vector<const Value*> PodsInOrder() const;
};

/// Returns the requests in the job file that the Job carries as annotations.
RequestedLimits RequestedLimitsOf(const Value& job);

/// Returns whether an event is about a Job, its pods, or its Kueue workload.
bool IsEventOf(const Value& event, const ObjectNames& names);

/// Returns whether a pod with this name is one of the job's.
bool IsPodOf(std::string_view pod, const ObjectNames& names);

/// Selects the events about objects of this name. A namespace has the events of all jobs.
kube::ListOptions EventsOf(std::string_view object);

/// Returns the pod whose creation or deletion an event of a Job reports; empty: none.
///
/// @source  Kubernetes 1.34: pkg/controller/controller_utils.go
std::string_view PodNamedBy(const Value& event);

/// Returns whether no pod of the job is running any more. That of an array is known from its Job.
bool AllPodsEnded(const ClusterSnapshot& snapshot);
/// Returns whether a client has ended the job, according to its annotation.
bool IsStopped(const Value& job);
/// Returns whether no container of the pod is running any more.
bool HasEnded(const Value& pod);
/// Returns whether a container of a pod, `main` or `collector`, has ended and does not restart.
bool HasEnded(const Value& pod, std::string_view container);
/// Returns whether the container runs, or has run.
bool HasStarted(const Value& pod, std::string_view container);

/// What is queried about a job.
enum class Detail : std::uint8_t {
  kState,  ///< its Job and its pods
  kEnd,    ///< also their events, and the nodes of these pods
  kCause,  ///< also their events, all nodes, and the quotas of the namespace
};

/// Queries the cluster for a job or for a task, whose Job is then JobOfTask. Sends
/// concurrent requests where possible. Skips resources that the
/// account cannot read, except for the Job and its pods.
Result<ClusterSnapshot> FetchSnapshot(const kube::Client& client, std::string_view name_space,
                                      std::string_view id, Detail detail, std::stop_token stop);

}  // namespace kinetic::backend
