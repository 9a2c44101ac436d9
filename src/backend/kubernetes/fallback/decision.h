#pragma once

#include "backend/kubernetes/snapshot/pod_snapshot.h"

#include <optional>
#include <string>

namespace kinetic::backend {

/// How long a job with several accelerators still waits for the one that its Job is made for.
struct Patience {
  bool is_over = false;           ///< the next accelerator is to be tried
  std::string reason;             ///< why this one cannot be had, for people
  std::optional<WallTime> until;  ///< when it is over if nothing changes; absent: not by itself
};

/// An accelerator is given up at once when the autoscaler says that it cannot be had, after a
/// moment in which nobody offers to make a node where there is none of its kind, and after the
/// Job's own patience where it is there and busy; a node that is being made is waited for. A pod
/// that has a node keeps it, and the last accelerator is waited for to the end. Pure.
Patience PatienceWith(const PodSituation& situation);

}  // namespace kinetic::backend
