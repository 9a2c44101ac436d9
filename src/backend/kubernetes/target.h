#pragma once

#include "kinetic/cloud.h"
#include "kinetic/prices.h"
#include "kinetic/profile.h"

#include "backend/target.h"
#include "base/time/clock.h"
#include "connect/cluster.h"
#include "store/object_store.h"

#include <memory>
#include <string>

namespace kinetic::backend {

struct KubernetesTargetOptions {
  ClusterProfile profile;
  std::string store;   ///< argument of store::Open
  CloudOptions cloud;  ///< the client's; pods get options derived from it
  Prices prices;       ///< for max_cost, and recorded with each job
};

/// What the target uses. All of it must outlive the target.
struct KubernetesDependencies {
  store::Store& store;
  Clock& clock;
};

/// Runs jobs as Kubernetes Jobs: docs/reference/kubernetes.md. A job outlives the client that
/// submitted it; any client that reaches the cluster and the store can watch, follow and cancel it.
///
/// @param cluster  from connect::OpenCluster. No request is sent yet.
std::unique_ptr<Target> MakeKubernetesTarget(KubernetesTargetOptions options,
                                             connect::Cluster cluster,
                                             KubernetesDependencies dependencies);

}  // namespace kinetic::backend
