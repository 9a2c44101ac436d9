#pragma once

#include "backend/kubernetes/snapshot/cluster_snapshot.h"
#include "backend/target.h"
#include "record/status.h"

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

}  // namespace kinetic::backend
