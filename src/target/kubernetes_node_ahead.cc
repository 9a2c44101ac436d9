#include "target/kubernetes_node_ahead.h"

#include "base/try.h"
#include "pod/container.h"
#include "target/kubernetes_names.h"
#include "target/kubernetes_object.h"
#include "target/kubernetes_pulling_pod.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace kinetic::target {
namespace {

/// Not none, with which a pod goes from the API before its containers have ended: the job's own
/// could come to a node that thinks its chips taken.
constexpr int kGraceSeconds = 1;
/// Not kept: its pod's end says nothing to anybody.
constexpr int kKeptSeconds = 0;

/// What else of a job's pod has a say in where it runs, beside what PullingPodSpec takes over.
constexpr std::array<std::string_view, 4> kChoosesNodesToo{
    "schedulerName", "topologySpreadConstraints", "schedulingGates", "nodeName"};

/// Whether a volume is bound to a place. What would hold it here keeps it from the job.
bool HasPlace(const Value& volume) {
  return volume.Find("persistentVolumeClaim") != nullptr || volume.Find("ephemeral") != nullptr;
}

Status CheckIsKnown(const NodeAheadRequest& request, const Value& of_job) {
  if (!request.wish.spec->queue.empty()) {
    return Fail(ErrorCode::kFailedPrecondition,
                "the job waits in a queue: Kueue says when it runs");
  }
  if (std::ranges::any_of(ListAt(of_job, {"volumes"}), HasPlace)) {
    return Fail(ErrorCode::kFailedPrecondition, "a volume of the job has a say in where it runs");
  }
  return {};
}

Value ResourcesIn(const Value& container) {
  const Value* const resources = container.Find("resources");
  return resources != nullptr ? *resources : Value();
}

/// Containers that ask together for what those of the job do which run at the same time.
PullingPod PodFor(const NodeAheadRequest& request, const Value& of_job) {
  const std::string& runner = request.cluster.runner_image;
  PullingPod pod{.runner_image = runner,
                 .image = request.wish.image.empty() ? runner : request.wish.image,
                 .restricted = request.restricted};
  for (const Value& container : ListAt(of_job, {"containers"})) {
    pod.containers.push_back({std::string(TextAt(container, {"name"})), ResourcesIn(container)});
  }
  std::size_t beside = 0;
  for (const Value& container : ListAt(of_job, {"initContainers"})) {
    if (TextAt(container, {"restartPolicy"}) != "Always") continue;
    if (TextAt(container, {"name"}) == pod::kCollectorContainer) {
      pod.installing = ResourcesIn(container);
    }
    pod.containers.push_back({"beside-" + std::to_string(++beside), ResourcesIn(container)});
  }
  return pod;
}

Value PodSpec(const NodeAheadRequest& request, const Value& of_job) {
  Value spec = PullingPodSpec(PodFor(request, of_job), of_job);
  for (const std::string_view name : kChoosesNodesToo) {
    const Value* const member = of_job.Find(name);
    if (member != nullptr) spec.Set(std::string(name), *member);
  }
  spec.Set("restartPolicy", "Never");
  spec.Set("terminationGracePeriodSeconds", kGraceSeconds);
  return spec;
}

}  // namespace

Result<Value> NodeAheadJob(const NodeAheadRequest& request) {
  KINETIC_ASSIGN_OR_RETURN(const Value of_job,
                           PodOfJob(*request.wish.spec, request.wish.image, request.cluster));
  KINETIC_RETURN_IF_ERROR(CheckIsKnown(request, of_job));
  const Value::Map labels{{std::string(kManagedByLabel), std::string(kManagedBy)},
                          {std::string(kAheadLabel), request.digits}};
  return Value(Value::Map{
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", Value::Map{{"name", "kinetic-ahead-" + request.digits},
                              {"namespace", request.cluster.name_space},
                              {"labels", labels}}},
      {"spec", Value::Map{{"backoffLimit", 0},
                          {"activeDeadlineSeconds",
                           std::int64_t{std::chrono::seconds(kLongestAhead).count()}},
                          {"ttlSecondsAfterFinished", kKeptSeconds},
                          {"template", Value::Map{{"metadata", Value::Map{{"labels", labels}}},
                                                  {"spec", PodSpec(request, of_job)}}}}}});
}

}  // namespace kinetic::target
