#include "backend/kubernetes/nodes/provisioning_job.h"
#include "backend/kubernetes/object_fields.h"
#include "base/try.h"

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

Status AskAhead(const AskingPlace& place, const NodeAheadRequest& request,
                const std::function<void(std::string_view)>& asked, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const Value job, NodeAheadJob(request));
  const auto made = place.client.Create(kube::kJobs, request.cluster.name_space, job, stop);
  if (made) {
    asked(NameOf(job));
    WaitFor(std::move(stop));
  }
  const auto removed =
      place.leaving.Delete(kube::kJobs, request.cluster.name_space, NameOf(job), {}, {});
  KINETIC_RETURN_IF_ERROR(made);
  KINETIC_RETURN_IF_ERROR(removed);
  return {};
}

}  // namespace kinetic::backend
