#pragma once

#include "base/time/clock.h"
#include "kube/client.h"

namespace kinetic::backend {

/// The clients of the cluster on which an object is created and cleaned up.
struct ClusterClients {
  const kube::Client& client;
  const kube::Client& cleanup_client;  ///< has short timeouts
  Clock& clock;
};

}  // namespace kinetic::backend
