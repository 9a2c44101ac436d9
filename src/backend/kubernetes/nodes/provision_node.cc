#include "backend/kubernetes/nodes/provision_node.h"

#include "kinetic/try.h"

#include "backend/kubernetes/cluster_clients.h"
#include "backend/kubernetes/nodes/provisioning_job.h"
#include "backend/kubernetes/object_fields.h"

#include <condition_variable>
#include <mutex>
#include <utility>

namespace kinetic::backend {
namespace {

void WaitFor(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, std::move(stop), [] { return false; });
}

}  // namespace

Status ProvisionNode(const ClusterClients& clients, const ProvisioningJobRequest& request,
                     const std::function<void(std::string_view)>& requested, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const Value job, MakeProvisioningJob(request));
  const auto created = clients.client.Create(kube::kJobs, request.cluster.name_space, job, stop);
  if (created) {
    requested(NameOf(job));
    WaitFor(std::move(stop));
  }
  const auto removed =
      clients.cleanup_client.Delete(kube::kJobs, request.cluster.name_space, NameOf(job), {}, {});
  KINETIC_RETURN_IF_ERROR(created);
  KINETIC_RETURN_IF_ERROR(removed);
  return {};
}

}  // namespace kinetic::backend
