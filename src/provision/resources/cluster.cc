#include "google/api/services.h"
#include "json/document.h"
#include "provision/resources/all.h"
#include "provision/resources/gke.h"

#include <chrono>
#include <string>
#include <utility>

namespace kinetic::provision {
namespace {

/// At least one node without accelerators must run, for the system's pods.
Value DefaultPool(const Scope& scope) {
  return Value::Map{{"name", std::string(kSystemPool)},
                    {"initialNodeCount", 1},
                    {"config", CommonNodeConfig(scope, std::string(kSystemMachine))}};
}

/// @source  https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters#Cluster
Value ClusterBody(const Scope& scope, const std::string& network) {
  const Value dns(Value::Map{{"dnsEndpointConfig", Value::Map{{"allowExternalTraffic", true}}}});
  Value::Map cluster{
      {"name", scope.name},
      {"resourceLabels", Value::Map{{std::string(kOwnerLabel), scope.name}}},
      {"releaseChannel", Value::Map{{"channel", "REGULAR"}}},
      {"ipAllocationPolicy", Value::Map{{"useIpAliases", true}}},
      {"workloadIdentityConfig", Value::Map{{"workloadPool", scope.project + ".svc.id.goog"}}},
      {"controlPlaneEndpointsConfig", dns},
      {"autoscaling", Value::Map{{"autoscalingProfile", "OPTIMIZE_UTILIZATION"}}},
      {"nodePools", Value::List{DefaultPool(scope)}}};
  if (!network.empty()) cluster.emplace_back("network", network);
  return Value::Map{{"cluster", std::move(cluster)}};
}

}  // namespace

std::unique_ptr<Resource> MakeCluster(const Scope& scope, const std::string& network) {
  const std::string service(google::kContainer);
  ApiResourceSpec spec;
  spec.kind = "cluster";
  spec.name = scope.name;
  spec.detail = "GKE Standard in " + scope.zone + ", 1 " + std::string(kSystemMachine);
  spec.needs = {"APIs", "service account", "access nodes: run"};
  spec.expected = std::chrono::minutes{8};
  spec.service = service;
  spec.path = "/v1/" + scope.ClusterPath();
  spec.create = {"POST", service, "/v1/" + scope.ZonePath() + "/clusters",
                 ClusterBody(scope, network)};
  spec.operation_path = GkeOperationPath(scope);
  spec.compare = [name = scope.name](const Value& existing) {
    const Value* labels = existing.Find("resourceLabels");
    Comparison comparison;
    comparison.ours = labels != nullptr && json::TextAt(*labels, kOwnerLabel) == name;
    SetReadiness(existing, comparison);
    return comparison;
  };
  return MakeApiResource(*scope.api, std::move(spec));
}

}  // namespace kinetic::provision
