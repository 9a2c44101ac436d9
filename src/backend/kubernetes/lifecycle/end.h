#pragma once

#include "kinetic/explanation.h"
#include "kinetic/result.h"

#include "backend/kubernetes/lifecycle/observe.h"
#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/target.h"
#include "base/time/clock.h"
#include "kube/client.h"
#include "pod/collect_request.h"
#include "record/outcome.h"
#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// Suspends the Job of a job that is to end, so that its pods end and the Job stays visible.
/// Returns false if there is no Job.
Result<bool> SuspendJob(const kube::Client& client, std::string_view name_space,
                        std::string_view id, Cause cause, std::stop_token stop);

/// Ends a job: writes the cause to the store, suspends the Job, so that its pods end and the Job
/// stays visible, and waits until no pod is left. Pods that exceed their grace period are deleted
/// by force.
Status EndJob(const WatchedJob& job, const pod::StopCause& cause, std::stop_token stop);

/// Ends a task of an array: writes the cancellation to the store, deletes the pod in which it runs,
/// and waits until that has ended. The Job does not replace the pod of a task that was cancelled:
/// its runner exits with 0. If it was killed before it could store a result, the caller stores one.
/// A pod that several tasks share is not deleted: its runner reads the cancellation.
Status EndTask(const WatchedJob& job, std::stop_token stop);

/// Deletes the Job, its pods and its Secret. Missing objects are ignored.
///
/// @param may_have_secret  false: sends no request for the Secret.
Status RemoveObjects(const kube::Client& client, std::string_view name_space, std::string_view id,
                     bool may_have_secret, std::stop_token stop);

/// Returns the outcome of a job that has ended or can never start, and has no result from its
/// runner: the state of the cluster, combined with what the collector stored of the last attempt.
/// Pure.
///
/// @param attempt    attempts/{n}/0/result.json of the last attempt; nullopt: none.
/// @param cancelled  a client requested the cancellation.
record::StoredOutcome OutcomeOf(const ClusterSnapshot& snapshot, const Explanation& explanation,
                                std::optional<record::StoredOutcome> attempt, bool cancelled);

/// Returns the evidence as one line for the record: its first item, or the headline.
std::string EvidenceLine(const Explanation& explanation);

/// Returns whether the log of an ended job can be read from its pods. It is lost if the newest pod
/// or its node no longer exists. It also counts as lost five minutes after the end, when Kubernetes
/// gives up the pods of a node that does not respond.
///
/// @param snapshot  with the events and the nodes of the pods.
LogAvailability LogAvailabilityOf(const ClusterSnapshot& snapshot, WallTime now);

/// Implements Target::Collect for a cluster: combines the state of the cluster with what the
/// collector stored of the last attempt. Value and outputs are in the store or lost.
Result<CollectedState> CollectState(const ClusterSnapshot& snapshot, std::string_view id,
                                    store::Store& store, WallTime now, std::stop_token stop);

/// Which Secrets are checked.
struct OrphanQuery {
  std::string_view name_space;
  std::string_view store;  ///< Secrets of other stores are ignored
  WallTime now;
  bool dry_run = false;  ///< deletes nothing
};

/// Implements Target::RemoveOrphans: deletes Secrets without a Job, whose client was killed
/// before the Job owned them. Secrets younger than an hour are kept, because their Jobs may still
/// be created.
///
/// @errors  kPermissionDenied: no permission to list or delete Secrets · those of kube::Client.
Result<std::vector<std::string>> RemoveOrphanedSecrets(const kube::Client& client,
                                                       const OrphanQuery& query,
                                                       std::stop_token stop);

}  // namespace kinetic::backend
