#pragma once

#include "backend/kubernetes/snapshot/pod_snapshot.h"
#include "record/status.h"

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

}  // namespace kinetic::backend
