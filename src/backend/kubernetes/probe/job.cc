#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/manifest/names.h"
#include "backend/kubernetes/manifest/placement.h"
#include "backend/kubernetes/manifest/pod_template.h"
#include "backend/kubernetes/probe/run.h"
#include "jobspec/accelerator/table.h"
#include "pod/container.h"
#include "pod/store_probe_request.h"

#include <utility>

namespace kinetic::backend {
namespace {

constexpr int kProbeKeptSeconds = 60;

/// Named like the collector, so that problems in starting the pod are explained as for a job.
Value ProbeContainer(const ProbeRequest& request) {
  const std::string json =
      pod::ToJson(pod::StoreProbeRequest{.store = request.store, .cloud = request.cloud});
  Value::List mounts;
  if (auto credential = CredentialFileOf(request.cluster)) {
    mounts.push_back(std::move(credential->mount));
  }
  return Value::Map{
      {"name", std::string(pod::kCollectorContainer)},
      {"image", request.cluster.runner_image},
      {"imagePullPolicy", "IfNotPresent"},
      {"command", Value::List{std::string(pod::kRunnerPath), "probe-store"}},
      {"env",
       Value::List{Value::Map{{"name", std::string(pod::kStoreProbeVariable)}, {"value", json}}}},
      {"resources", Value::Map{{"requests", Value::Map{{"cpu", "100m"}, {"memory", "128Mi"}}}}},
      {"securityContext", ContainerSecurity(request.restricted)},
      {"volumeMounts", std::move(mounts)}};
}

Value::Map ProbePodSpec(const ProbeRequest& request) {
  const Placement placement = PlacementOf(jobspec::MakeCpu(), false);
  Value::Map spec{{"restartPolicy", "Never"},
                  {"automountServiceAccountToken", false},
                  {"enableServiceLinks", false},
                  {"nodeSelector", placement.node_selector},
                  {"tolerations", placement.tolerations},
                  {"securityContext", PodSecurity(request.restricted)},
                  {"containers", Value::List{ProbeContainer(request)}}};
  if (!request.cluster.service_account.empty()) {
    spec.emplace_back("serviceAccountName", request.cluster.service_account);
  }
  if (auto credential = CredentialFileOf(request.cluster)) {
    spec.emplace_back("volumes", Value::List{std::move(credential->volume)});
  }
  return spec;
}

}  // namespace

Value MakeProbeJob(const ProbeRequest& request, std::chrono::seconds deadline) {
  const Value::Map labels{{std::string(kManagedByLabel), std::string(kManagedBy)}};
  Value::Map pod_template{{"metadata", Value::Map{{"labels", labels}}},
                          {"spec", ProbePodSpec(request)}};
  return Value::Map{{"apiVersion", "batch/v1"},
                    {"kind", "Job"},
                    {"metadata", Value::Map{{"name", "kinetic-probe-" + request.digits},
                                            {"namespace", request.cluster.name_space},
                                            {"labels", labels}}},
                    {"spec", Value::Map{{"backoffLimit", 0},
                                        {"activeDeadlineSeconds", std::int64_t{deadline.count()}},
                                        {"ttlSecondsAfterFinished", kProbeKeptSeconds},
                                        {"template", std::move(pod_template)}}}};
}

}  // namespace kinetic::backend
