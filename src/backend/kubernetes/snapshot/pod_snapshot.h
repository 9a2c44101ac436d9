#pragma once

#include "kinetic/value.h"

#include "base/time/clock.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::backend {

/// Objects of a cluster, owned by whoever observes it.
using Objects = std::vector<const Value*>;

/// What the job file asked for that its manifests do not show.
struct Wanted {
  std::string accelerator;                           ///< as the user wrote it; empty: none
  std::optional<std::chrono::milliseconds> pending;  ///< timeouts.pending
  std::optional<std::chrono::milliseconds> run;      ///< timeouts.run, of one attempt
};

/// What was observed of one job on a cluster, as the API server gave it: the one input of StateOf
/// and Explain. Nothing but `job_id` and `now` has to be there; what is missing makes the answer
/// poorer, not wrong.
struct PodSituation {
  std::string job_id;
  const Value* job = nullptr;         ///< the Job; null: it is not there
  bool job_was_there = false;         ///< it was seen before, or its submission was acknowledged
  bool has_begun = false;             ///< its program was seen to run, now or earlier
  Objects pods;                       ///< of the Job, in any order
  Objects events;                     ///< about the Job, its pods and its workload, in any order
  Objects nodes;                      ///< all; empty where they may not be listed
  bool nodes_known = false;           ///< whether `nodes` are all there are
  Objects other_pods;                 ///< of any namespace: they take room on nodes
  Objects quotas;                     ///< ResourceQuotas of the namespace
  const Value* name_space = nullptr;  ///< its Namespace, where it may be read
  const Value* workload = nullptr;    ///< Kueue's, where there is one
  /// Kueue's PendingWorkloadsSummary of its LocalQueue, where it may be read.
  const Value* pending_workloads = nullptr;
  Wanted wanted;
  WallTime now;  ///< by the server's clock
};

}  // namespace kinetic::backend
