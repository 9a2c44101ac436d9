#pragma once

#include "kinetic/cluster_plan.h"
#include "kinetic/result.h"

#include "context.h"

namespace kinetic::cli {

struct JoinOptions {
  bool adopt = false;  ///< create what is missing
  bool yes = false;    ///< without confirmation
};

/// Shows the plan of what is missing, asks unless `yes`, and applies it.
///
/// @errors  those of ConfirmPlan and of ClusterPlan::Apply.
Status CreateMissing(const ClusterPlan& plan, bool yes, Context& context);

/// Shows what jobs find in the GKE cluster of --cluster, and saves a profile for it.
Result<int> JoinCluster(const JoinOptions& options, Context& context);

}  // namespace kinetic::cli
