#include "backend/kubernetes/nodes/provisioning.h"

#include "kinetic/try.h"

#include "backend/kubernetes/manifest/cluster_clients.h"
#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/object_fields.h"
#include "backend/kubernetes/manifest/pod_template.h"
#include "pod/container.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <mutex>
#include <string_view>
#include <utility>

namespace kinetic::backend {
namespace {

/// The fields of a pod that decide where it can run, and whether its images can be pulled there.
constexpr std::array<std::string_view, 11> kChoosesNodes{"nodeSelector",
                                                         "tolerations",
                                                         "affinity",
                                                         "imagePullSecrets",
                                                         "serviceAccountName",
                                                         "runtimeClassName",
                                                         "priorityClassName",
                                                         "schedulerName",
                                                         "nodeName",
                                                         "schedulingGates",
                                                         "topologySpreadConstraints"};

/// Not zero: without a grace period, the API server deletes a pod before its containers have ended,
/// and the job's pod could be scheduled to a node whose chips are still in use.
constexpr int kGraceSeconds = 1;

Value ContainerOf(const std::string& name, const std::string& image, Value::List command,
                  const Value& resources, bool restricted) {
  Value::Map container{
      {"name", name},
      {"image", image},
      {"imagePullPolicy", "IfNotPresent"},
      {"command", std::move(command)},
      {"securityContext", ContainerSecurity(restricted)},
      {"volumeMounts", Value::List{Value::Map{{"name", std::string(kSharedVolume)},
                                              {"mountPath", std::string(pod::kSharedFolder)}}}}};
  if (!resources.IsNull()) container.emplace_back("resources", resources);
  return container;
}

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

void WaitFor(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait(lock, std::move(stop), [] { return false; });
}

}  // namespace

Result<Value> PodOfJob(const JobSpec& spec, const std::string& image,
                       const ClusterProfile& cluster) {
  record::Record record;
  record.id = "ahead";
  record.spec = spec;
  record.spec.data.clear();  // does not affect where it runs
  record.environment_image = image;
  KINETIC_ASSIGN_OR_RETURN(const Manifests manifests,
                           BuildManifests({.record = &record, .collect = {}, .cluster = cluster}));
  const Value* const pod = At(manifests.job, {"spec", "template", "spec"});
  if (pod == nullptr) return Fail(ErrorCode::kInternal, "the Job has no pod template");
  return *pod;
}

Value ProvisioningPodSpec(const ProvisioningPod& pod, const Value& of_job) {
  Value::Map spec{{"automountServiceAccountToken", false},
                  {"enableServiceLinks", false},
                  {"restartPolicy", "Never"},
                  {"terminationGracePeriodSeconds", kGraceSeconds},
                  {"securityContext", PodSecurity(pod.restricted)}};
  for (const std::string_view name : kChoosesNodes) {
    const Value* const member = of_job.Find(name);
    if (member != nullptr) spec.emplace_back(std::string(name), *member);
  }
  const Value::List install{std::string(pod::kRunnerPath), "install",
                            std::string(pod::kSharedFolder)};
  const Value::List say_version{std::string(pod::kLauncherPath), "--version"};
  // Named like the collector, so that problems in starting the pod are explained as for a job.
  spec.emplace_back("initContainers",
                    Value::List{ContainerOf(std::string(pod::kCollectorContainer), pod.runner_image,
                                            install, pod.init_resources, pod.restricted)});
  Value::List containers;
  for (const auto& [name, resources] : pod.containers) {
    containers.push_back(ContainerOf(name, pod.image, say_version, resources, pod.restricted));
  }
  spec.emplace_back("containers", std::move(containers));
  spec.emplace_back("volumes", Value::List{Value::Map{{"name", std::string(kSharedVolume)},
                                                      {"emptyDir", Value::Map{}}}});
  return spec;
}

Result<Value> MakeProvisioningJob(const ProvisioningJobRequest& request) {
  KINETIC_ASSIGN_OR_RETURN(const Value of_job,
                           PodOfJob(*request.node.spec, request.node.image, request.cluster));
  KINETIC_RETURN_IF_ERROR(CheckIsKnown(request, of_job));
  const Value::Map labels{{std::string(kManagedByLabel), std::string(kManagedBy)},
                          {std::string(kProvisioningLabel), request.digits}};
  // As for the job, so that both are scheduled to the same kind of node.
  const Value::Map annotations{{"cluster-autoscaler.kubernetes.io/safe-to-evict", "false"}};
  return Value(Value::Map{
      {"apiVersion", "batch/v1"},
      {"kind", "Job"},
      {"metadata", Value::Map{{"name", "kinetic-provisioning-" + request.digits},
                              {"namespace", request.cluster.name_space},
                              {"labels", labels}}},
      {"spec",
       Value::Map{
           {"backoffLimit", 0},
           {"activeDeadlineSeconds",
            std::int64_t{std::chrono::seconds(kProvisioningDeadline).count()}},
           {"ttlSecondsAfterFinished", kKeptSeconds},
           {"template",
            Value::Map{{"metadata", Value::Map{{"labels", labels}, {"annotations", annotations}}},
                       {"spec", ProvisioningPodSpec(PodFor(request, of_job), of_job)}}}}}});
}

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
