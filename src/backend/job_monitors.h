#pragma once

#include "backend/job_monitor.h"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace kinetic::backend {

/// The monitors of the jobs that somebody looks at: whoever watches and whoever follows the log of
/// one job share its watches.
///
/// @threads  safe to call concurrently.
class JobMonitors {
 public:
  JobMonitors(const kube::Client& client, std::string name_space)
      : client_(client), name_space_(std::move(name_space)) {}

  /// The one that there is, or a new one.
  std::shared_ptr<JobMonitor> Of(std::string_view id);

 private:
  const kube::Client& client_;
  const std::string name_space_;
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<JobMonitor>, std::less<>> monitors_;
};

}  // namespace kinetic::backend
