#include "backend/kubernetes/nodes/provisioning_job.h"

#include "kinetic/try.h"

#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/nodes/provisioning_pod.h"
#include "backend/kubernetes/object_fields.h"
#include "pod/container.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace kinetic::backend {
namespace {

/// Deleted at once, because the end of its pod has no meaning.
constexpr int kKeptSeconds = 0;

/// Returns whether a volume is tied to a location. Using it here could keep it from the job.
bool HasPlace(const Value& volume) {
  return volume.Find("persistentVolumeClaim") != nullptr || volume.Find("ephemeral") != nullptr;
}

Status CheckIsKnown(const ProvisioningJobRequest& request, const Value& of_job) {
  if (!request.node.spec->queue.empty()) {
    return Fail(ErrorCode::kFailedPrecondition, "the job is queued: Kueue decides when it runs");
  }
  if (std::ranges::any_of(ListAt(of_job, {"volumes"}), HasPlace)) {
    return Fail(ErrorCode::kFailedPrecondition, "a volume of the job restricts where it can run");
  }
  return {};
}

Value ResourcesIn(const Value& container) {
  const Value* const resources = container.Find("resources");
  return resources != nullptr ? *resources : Value();
}

/// Returns a pod whose containers have the requests of the job's concurrent containers.
ProvisioningPod PodFor(const ProvisioningJobRequest& request, const Value& of_job) {
  const std::string& runner = request.cluster.runner_image;
  ProvisioningPod pod{.runner_image = runner,
                      .image = request.node.image.empty() ? runner : request.node.image,
                      .restricted = request.restricted};
  for (const Value& container : ListAt(of_job, {"containers"})) {
    pod.containers.push_back({std::string(TextAt(container, {"name"})), ResourcesIn(container)});
  }
  std::size_t beside = 0;
  for (const Value& container : ListAt(of_job, {"initContainers"})) {
    if (TextAt(container, {"restartPolicy"}) != "Always") continue;
    if (TextAt(container, {"name"}) == pod::kCollectorContainer) {
      pod.init_resources = ResourcesIn(container);
    }
    pod.containers.push_back({"beside-" + std::to_string(++beside), ResourcesIn(container)});
  }
  return pod;
}

}  // namespace

Result<Value> MakeProvisioningJob(const ProvisioningJobRequest& request) {
  KINETIC_ASSIGN_OR_RETURN(const Value of_job,
                           PodOfJob(*request.node.spec, request.node.image, request.cluster));
  KINETIC_RETURN_IF_ERROR(CheckIsKnown(request, of_job));
  const Value::Map labels{{std::string(kManagedByLabel), std::string(kManagedBy)},
                          {std::string(kProvisioningLabel), request.digits}};
  return Value(Value::Map{
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", Value::Map{{"name", "kinetic-provisioning-" + request.digits},
                              {"namespace", request.cluster.name_space},
                              {"labels", labels}}},
      {"spec",
       Value::Map{{"backoffLimit", 0},
                  {"activeDeadlineSeconds",
                   std::int64_t{std::chrono::seconds(kProvisioningDeadline).count()}},
                  {"ttlSecondsAfterFinished", kKeptSeconds},
                  {"template",
                   Value::Map{{"metadata", Value::Map{{"labels", labels}}},
                              {"spec", ProvisioningPodSpec(PodFor(request, of_job), of_job)}}}}}});
}

}  // namespace kinetic::backend
