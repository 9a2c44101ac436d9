#pragma once

#include "kinetic/cloud.h"
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
  std::string store;   ///< as store::Open takes it
  CloudOptions cloud;  ///< the client's; what pods are told of the store follows from it
};

/// What the target works with; all of it outlives it.
struct KubernetesDependencies {
  store::Store& store;
  Clock& clock;
};

/// Runs jobs as Kubernetes Jobs: docs/reference/kubernetes.md. A job outlives the client that
/// submitted it; any client that reaches the cluster and the store can watch, follow and cancel it.
///
/// @param cluster  as connect::OpenCluster gives it; no request is sent yet.
std::unique_ptr<Target> MakeKubernetesTarget(KubernetesTargetOptions options,
                                             connect::Cluster cluster,
                                             KubernetesDependencies dependencies);

}  // namespace kinetic::backend
