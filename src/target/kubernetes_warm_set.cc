#include "base/digest.h"
#include "base/try.h"
#include "pod/container.h"
#include "target/kubernetes_manifest.h"
#include "target/kubernetes_names.h"
#include "target/kubernetes_object.h"
#include "target/kubernetes_security.h"
#include "target/kubernetes_volumes.h"
#include "target/kubernetes_warm.h"

#include <array>
#include <utility>

namespace kinetic::target {
namespace {

constexpr std::string_view kPoolLabel = "cloud.google.com/gke-nodepool";
constexpr std::string_view kWarmLabel = "kinetic.dev/warm";
constexpr std::size_t kNameDigits = 12;

/// What of a job's pod decides where it may run, and whether its images may be pulled there.
constexpr std::array<std::string_view, 7> kChoosesNodes{
    "nodeSelector",       "tolerations",      "affinity",         "imagePullSecrets",
    "serviceAccountName", "runtimeClassName", "priorityClassName"};

/// The specification of the pod that the job would have.
Result<Value> PodOfJob(const WarmRequest& request) {
  record::Record record;
  record.id = "warm";
  record.spec = request.spec;
  record.spec.data.clear();  // which has no say in where it runs
  record.environment_image = request.image;
  KINETIC_ASSIGN_OR_RETURN(
      const Manifests manifests,
      BuildManifests({.record = &record, .collect = {}, .cluster = request.cluster}));
  const Value* const pod = At(manifests.job, {"spec", "template", "spec"});
  if (pod == nullptr) return Fail(ErrorCode::kInternal, "a Job without a pod");
  return *pod;
}

Value Mounts() {
  return Value::List{Value::Map{{"name", std::string(kSharedVolume)},
                                {"mountPath", std::string(pod::kSharedFolder)}}};
}

Value Container(std::string_view name, const std::string& image, Value::List command,
                bool restricted) {
  return Value::Map{{"name", std::string(name)},
                    {"image", image},
                    {"imagePullPolicy", "IfNotPresent"},
                    {"command", std::move(command)},
                    {"securityContext", ContainerSecurity(restricted)},
                    {"volumeMounts", Mounts()}};
}

Value::Map PodSpec(const WarmRequest& request, const Value& of_job) {
  Value::Map spec{{"automountServiceAccountToken", false},
                  {"enableServiceLinks", false},
                  {"terminationGracePeriodSeconds", 0},
                  {"securityContext", PodSecurity(request.restricted)}};
  for (const std::string_view name : kChoosesNodes) {
    const Value* const member = of_job.Find(name);
    if (member != nullptr) spec.emplace_back(std::string(name), *member);
  }
  const std::string runner(pod::kRunnerPath);
  spec.emplace_back("initContainers",
                    Value::List{Container(pod::kCollectorContainer, request.cluster.runner_image,
                                          {runner, "install", std::string(pod::kSharedFolder)},
                                          request.restricted)});
  spec.emplace_back(
      "containers",
      Value::List{Container(pod::kMainContainer, request.image,
                            {std::string(pod::kLauncherPath), "--version"}, request.restricted)});
  spec.emplace_back("volumes", Value::List{Value::Map{{"name", std::string(kSharedVolume)},
                                                      {"emptyDir", Value::Map{}}}});
  return spec;
}

}  // namespace

Result<Value> WarmSet(const WarmRequest& request) {
  KINETIC_ASSIGN_OR_RETURN(const Value of_job, PodOfJob(request));
  Value spec = PodSpec(request, of_job);
  if (!request.pool.empty()) {
    const Value* const selector = spec.Find("nodeSelector");
    Value chosen = selector != nullptr ? *selector : Value(Value::Map{});
    chosen.Set(std::string(kPoolLabel), request.pool);
    spec.Set("nodeSelector", std::move(chosen));
  }
  const std::string key = Sha256::Of(spec.ToJson()).Hex().substr(0, kNameDigits);
  const Value::Map own{{std::string(kWarmLabel), key}};
  Value::Map labels = own;
  labels.emplace_back(std::string(kManagedByLabel), std::string(kManagedBy));
  return Value(Value::Map{
      {"apiVersion", "apps/v1"},
      {"kind", "DaemonSet"},
      {"metadata", Value::Map{{"name", "kinetic-warm-" + key},
                              {"namespace", request.cluster.name_space},
                              {"labels", labels}}},
      {"spec", Value::Map{{"selector", Value::Map{{"matchLabels", own}}},
                          {"template", Value::Map{{"metadata", Value::Map{{"labels", labels}}},
                                                  {"spec", std::move(spec)}}}}}});
}

}  // namespace kinetic::target
