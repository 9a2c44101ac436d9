#pragma once

#include "backend/job_monitor.h"
#include "base/time/clock.h"
#include "kube/client.h"
#include "store/object_store.h"

#include <string_view>

namespace kinetic::backend {

/// One job on a cluster, with all by which it is watched and changed; the members outlive it.
struct WatchedJob {
  JobMonitor& monitor;
  const kube::Client& client;
  std::string_view name_space;
  store::Store& store;
  Clock& clock;
  std::string_view id;
};

}  // namespace kinetic::backend
