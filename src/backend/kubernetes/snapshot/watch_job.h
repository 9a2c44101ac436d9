#pragma once

#include "backend/kubernetes/snapshot/job_monitor.h"
#include "backend/target.h"
#include "base/time/clock.h"
#include "kube/client.h"
#include "store/object_store.h"

#include <functional>
#include <stop_token>
#include <string_view>

namespace kinetic::backend {

/// A job on a cluster, with everything that watches or changes it. The members must outlive it.
struct WatchedJob {
  JobMonitor& monitor;
  const kube::Client& client;
  std::string_view name_space;
  store::Store& store;
  Clock& clock;
  std::string_view id;
};

/// Implements Target::Watch for a job on a cluster. The first of these reports the end: the
/// collector's last line, the job's container, the Job's condition. Ends a job that does not start
/// within timeouts.pending or can never start.
Status WatchJob(const WatchedJob& job, const std::function<Status(const Observation&)>& each,
                std::stop_token stop);

}  // namespace kinetic::backend
