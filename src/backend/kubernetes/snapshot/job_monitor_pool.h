#pragma once

#include "backend/kubernetes/snapshot/job_monitor.h"
#include "kube/client.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::backend {

/// The monitors of the jobs in use. Watching a job and following its log share one monitor.
///
/// @threads  safe to call concurrently.
class JobMonitorPool {
 public:
  JobMonitorPool(const kube::Client& client, std::string name_space)
      : client_(client), name_space_(std::move(name_space)) {}

  /// Returns the job's monitor. Creates it if necessary.
  std::shared_ptr<JobMonitor> Get(std::string_view id);

 private:
  const kube::Client& client_;
  const std::string name_space_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<JobMonitor>, std::less<>> monitors_;
};

}  // namespace kinetic::backend
