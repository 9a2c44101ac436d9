#include "backend/kubernetes/manifest/pod_template.h"

#include "kinetic/try.h"

#include "backend/kubernetes/manifest/lifetime.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/placement.h"
#include "pod/container.h"

#include <utility>

namespace kinetic::backend {
namespace {

Value Variable(std::string_view name, std::string value) {
  return Value::Map{{"name", std::string(name)}, {"value", std::move(value)}};
}

/// Returns a variable that the downward API sets.
Value FieldVariable(std::string_view name, std::string field) {
  return Value::Map{
      {"name", std::string(name)},
      {"valueFrom", Value::Map{{"fieldRef", Value::Map{{"apiVersion", "v1"},
                                                       {"fieldPath", std::move(field)}}}}}};
}

Value SecretVariable(const std::string& name, const std::string& secret) {
  return Value::Map{
      {"name", name},
      {"valueFrom", Value::Map{{"secretKeyRef", Value::Map{{"name", secret}, {"key", name}}}}}};
}

/// Returns the collector's request, with the program's image.
std::string CollectRequestOf(const ManifestRequest& request) {
  pod::CollectRequest collect = request.collect;
  collect.image = ResolveImage(*request.record, request.cluster);
  return pod::ToJson(collect);
}

Value Collector(const ManifestRequest& request) {
  const std::string runner(pod::kRunnerPath);
  const Value::List install{runner, "install", std::string(pod::kSharedFolder)};
  return Value::Map{
      {"name", std::string(pod::kCollectorContainer)},
      {"image", request.cluster.runner_image},
      {"imagePullPolicy", "IfNotPresent"},
      {"command", Value::List{runner, "collect"}},
      {"restartPolicy", "Always"},
      {"env", Value::List{Variable(pod::kCollectRequestVariable, CollectRequestOf(request)),
                          FieldVariable(pod::kPodUidVariable, "metadata.uid"),
                          FieldVariable(pod::kPodNameVariable, "metadata.name"),
                          FieldVariable(pod::kNodeVariable, "spec.nodeName")}},
      {"lifecycle",
       Value::Map{{"postStart", Value::Map{{"exec", Value::Map{{"command", install}}}}}}},
      {"resources", CollectorResources(PackagesMemory(request), FilesDisk(request))},
      {"securityContext", ContainerSecurity(request.restricted)},
      {"volumeMounts", CollectorMounts(request)}};
}

Result<Value> Main(const ManifestRequest& request, const Placement& placement,
                   const std::string& secret) {
  const JobSpec& spec = request.record->spec;
  KINETIC_ASSIGN_OR_RETURN(Value::List mounts, MainMounts(request));
  Value::List variables{Variable(pod::kAcceleratorVariable, placement.accelerator)};
  if (!placement.resource.empty()) {
    variables.push_back(
        Variable(pod::kChipsVariable, placement.resource + "=" + std::to_string(placement.chips)));
  }
  for (const auto& [name, value] : placement.variables) variables.push_back(Variable(name, value));
  for (const auto& name : request.record->secret_names) {
    variables.push_back(SecretVariable(name, secret));
  }
  Value::Map container{{"name", std::string(pod::kMainContainer)},
                       {"image", ResolveImage(*request.record, request.cluster)},
                       {"command", Value::List{std::string(pod::kLauncherPath)}},
                       {"env", std::move(variables)}};
  container.emplace_back("resources", ResourcesOf(spec.resources, placement));
  container.emplace_back("securityContext", ContainerSecurity(request.restricted));
  container.emplace_back("volumeMounts", std::move(mounts));
  return Value(std::move(container));
}

/// Tolerates the taint of nodes that GKE creates for a request in Kueue.
Value QueuedNodes() {
  return Value::Map{
      {"key", "cloud.google.com/gke-queued"}, {"operator", "Exists"}, {"effect", "NoSchedule"}};
}

Value::Map Metadata(const record::Record& record) {
  return {{"labels", PodLabelsOf(record)},
          // A job that is moved to save a node starts over.
          {"annotations", Value::Map{{"cluster-autoscaler.kubernetes.io/safe-to-evict", "false"}}}};
}

}  // namespace

Result<Value> PodTemplate(const ManifestRequest& request, const Placement& placement,
                          const std::string& object_name) {
  const record::Record& record = *request.record;
  KINETIC_ASSIGN_OR_RETURN(Value main, Main(request, placement, object_name));
  const auto grace = TerminationGrace(record.spec.timeouts);
  Value::Map spec{{"restartPolicy", "Never"},
                  {"terminationGracePeriodSeconds", std::int64_t{grace.count()}},
                  // kinetic's containers do not use the API server. Jobs that do can request a
                  // token under `pod`.
                  {"automountServiceAccountToken", false},
                  {"enableServiceLinks", false},
                  {"nodeSelector", placement.node_selector}};
  if (!request.cluster.service_account.empty()) {
    spec.emplace_back("serviceAccountName", request.cluster.service_account);
  }
  if (!placement.affinity.IsNull()) spec.emplace_back("affinity", placement.affinity);
  Value::List tolerations = placement.tolerations;
  if (!record.spec.queue.empty()) tolerations.push_back(QueuedNodes());
  if (!tolerations.empty()) spec.emplace_back("tolerations", std::move(tolerations));
  spec.emplace_back("securityContext", PodSecurity(request.restricted));
  spec.emplace_back("initContainers", Value::List{Collector(request)});
  spec.emplace_back("containers", Value::List{std::move(main)});
  spec.emplace_back("volumes", VolumesOf(request));
  return Value(Value::Map{{"metadata", Metadata(record)}, {"spec", std::move(spec)}});
}

}  // namespace kinetic::backend
