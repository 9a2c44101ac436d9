#pragma once

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "base/time/clock.h"
#include "kube/client.h"
#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// Moves a job to the next accelerator of its list: deletes its Job and creates another one with
/// the same name. While neither exists, the plan is in the store. If a client is killed in between,
/// a later client continues.

namespace kinetic::backend {

/// How long a job with several accelerators still waits for the current one.
struct FallbackDecision {
  bool is_over = false;           ///< try the next accelerator
  std::string reason;             ///< why this one is not available, for display
  std::optional<WallTime> until;  ///< when it is over if nothing changes; absent: never
};

/// Decides whether to wait. The wait ends at once if the autoscaler reports that the accelerator is
/// unavailable, after a moment if no node of its kind exists or is being created, and after the
/// Job's wait time if such nodes exist but are busy. Waits for a node that is being created. A pod
/// that has a node keeps it, and the wait for the last accelerator has no limit. Pure.
FallbackDecision DecideFallback(const SnapshotView& view);

/// A job on a cluster that may change its accelerator. The members must outlive it.
struct FailoverContext {
  const kube::Client& client;
  std::string_view name_space;
  store::Store& store;
  Clock& clock;
  std::string_view id;
};

/// Moves a job to its next accelerator. Several clients may do so concurrently. A job that is being
/// ended is not created again.
///
/// @param snapshot  the Job and its pods, none of which has a node.
/// @param reason    for display.
/// @returns         false: a pod was scheduled or replaced. The caller observes the job again.
/// @errors          kFailedPrecondition: no accelerator is left · those of the API server and the
///                  store.
Result<bool> StartFailover(const FailoverContext& job, const ClusterSnapshot& snapshot,
                           std::string_view reason, std::stop_token stop);

/// Completes an interrupted failover of a job that has no Job. Returns false if there was none, or
/// the job is being ended.
Result<bool> ResumeFailover(const FailoverContext& job, std::stop_token stop);

/// Removes the plan of a failover of an ended job, whose client may have been killed.
Status DropFailover(store::Store& store, std::string_view id, std::stop_token stop);

}  // namespace kinetic::backend
