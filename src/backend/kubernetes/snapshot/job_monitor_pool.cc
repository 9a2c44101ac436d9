#include "backend/kubernetes/snapshot/job_monitor_pool.h"

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/snapshot/job_monitor.h"

namespace kinetic::backend {

std::shared_ptr<JobMonitor> JobMonitorPool::Get(std::string_view id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(monitors_, [](const auto& known) { return known.second.expired(); });
  const auto known = monitors_.find(id);
  if (known != monitors_.end()) {
    if (auto monitor = known->second.lock()) return monitor;
  }
  auto monitor =
      std::make_shared<JobMonitor>(client_, JobMonitor::Query{.name_space = name_space_,
                                                              .job_name = JobNameOf(id),
                                                              .job_id = std::string(id),
                                                              .pod_selector = JobSelector(id)});
  monitors_[std::string(id)] = monitor;
  return monitor;
}

}  // namespace kinetic::backend
