#include "backend/kubernetes/nodes/provisioning_pod.h"

#include "kinetic/try.h"

#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/manifest/pod_template.h"
#include "backend/kubernetes/object_fields.h"
#include "pod/container.h"

#include <array>
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

}  // namespace kinetic::backend
