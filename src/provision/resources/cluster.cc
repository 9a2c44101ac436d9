#include "base/strings.h"
#include "google/api/services.h"
#include "json/document.h"
#include "provision/resources/all.h"
#include "provision/resources/gke.h"

#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

constexpr std::string_view kNoNodeUpgrades = "NO_MINOR_OR_NODE_UPGRADES";

/// At least one node without accelerators must run, for the system's pods.
Value DefaultPool(const Scope& scope) {
  Value::Map config = CommonNodeConfig(scope, std::string(kSystemMachine));
  config.emplace_back("bootDisk", Value::Map{{"sizeGb", std::to_string(kSystemDiskGb)}});
  return Value::Map{
      {"name", std::string(kSystemPool)}, {"initialNodeCount", 1}, {"config", std::move(config)}};
}

/// An upgrade of a node ends the job on it. This exclusion is that of Google's own blueprints.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/concepts/maintenance-windows-and-exclusions
Value MaintenancePolicy() {
  const Value options(Value::Map{{"scope", std::string(kNoNodeUpgrades)},
                                 {"endTimeBehavior", "UNTIL_END_OF_SUPPORT"}});
  const Value exclusion(
      Value::Map{{"startTime", "2025-12-01T00:00:00Z"}, {"maintenanceExclusionOptions", options}});
  return Value::Map{
      {"window", Value::Map{{"maintenanceExclusions", Value::Map{{"kinetic-jobs", exclusion}}}}}};
}

/// @source  https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters#Cluster
Value ClusterBody(const Scope& scope, const std::string& network, bool private_nodes) {
  // The DNS endpoint also checks IAM permissions. Pods and nodes reach the control plane without either.
  const Value endpoints(
      Value::Map{{"dnsEndpointConfig", Value::Map{{"allowExternalTraffic", true}}},
                 {"ipEndpointsConfig", Value::Map{{"enabled", false}}}});
  Value::Map cluster{{"name", scope.name},
                     {"resourceLabels", Value::Map{{std::string(kOwnerLabel), scope.name}}},
                     {"releaseChannel", Value::Map{{"channel", "REGULAR"}}},
                     {"ipAllocationPolicy", Value::Map{{"useIpAliases", true}}},
                     {"workloadIdentityConfig", Value::Map{{"workloadPool", scope.WorkloadPool()}}},
                     {"controlPlaneEndpointsConfig", endpoints},
                     {"autoscaling", Value::Map{{"autoscalingProfile", "OPTIMIZE_UTILIZATION"}}},
                     {"maintenancePolicy", MaintenancePolicy()},
                     {"nodePools", Value::List{DefaultPool(scope)}}};
  if (!network.empty()) cluster.emplace_back("network", network);
  if (private_nodes)
    cluster.emplace_back("networkConfig", Value::Map{{"defaultEnablePrivateNodes", true}});
  return Value::Map{{"cluster", std::move(cluster)}};
}

/// A network is specified by its name or its path.
std::string_view LastPart(std::string_view path) { return path.substr(path.rfind('/') + 1); }

const Value* FieldOf(const Value* value, std::string_view key) {
  return value != nullptr ? value->Find(key) : nullptr;
}

/// Returns what differs from the cluster that kinetic creates, and how to change it.
std::vector<std::string> DifferencesOf(const Value& existing, const Scope& scope,
                                       const std::string& network) {
  const std::string command =
      ": gcloud container clusters update " + scope.name + scope.PlaceOptions();
  std::vector<std::string> found;
  const std::string used = json::TextAt(existing, "network");
  if (!network.empty() && LastPart(network) != LastPart(used))
    found.push_back("cluster " + scope.name + " stays in network " + Printable(used) +
                    "; for network " + network + ", create another cluster");
  const Value* dns =
      FieldOf(FieldOf(&existing, "controlPlaneEndpointsConfig"), "dnsEndpointConfig");
  if (dns == nullptr || !HasFlag(*dns, "allowExternalTraffic"))
    found.push_back("cluster " + scope.name + " cannot be reached at its DNS endpoint" + command +
                    " --enable-dns-access");
  const Value* identities = existing.Find("workloadIdentityConfig");
  if (identities == nullptr || json::TextAt(*identities, "workloadPool") != scope.WorkloadPool())
    found.push_back("cluster " + scope.name +
                    " has no Workload Identity, so its pods cannot use the bucket" + command +
                    " --workload-pool=" + scope.WorkloadPool());
  const Value* policy = existing.Find("maintenancePolicy");
  if (policy == nullptr || policy->ToJson().find(kNoNodeUpgrades) == std::string::npos)
    found.push_back("upgrades of nodes may end jobs on cluster " + scope.name + command +
                    " --add-maintenance-exclusion-name=kinetic-jobs "
                    "--add-maintenance-exclusion-scope=no_minor_or_node_upgrades "
                    "--add-maintenance-exclusion-until-end-of-support");
  return found;
}

}  // namespace

std::unique_ptr<Resource> MakeCluster(const Scope& scope, const std::string& network,
                                      bool private_nodes) {
  const std::string service(google::kContainer);
  ApiResourceSpec spec;
  spec.kind = "cluster";
  spec.name = scope.name;
  spec.detail = "GKE Standard in " + scope.zone + ", 1 " + std::string(kSystemMachine);
  // Bucket and repository, so that a cluster costs nothing if they cannot be created.
  spec.needs = {"APIs", "service account", "access nodes: run", "bucket", "repository", "router"};
  spec.expected = std::chrono::minutes{8};
  spec.service = service;
  spec.path = "/v1/" + scope.ClusterPath();
  spec.create = {"POST", service, "/v1/" + scope.ZonePath() + "/clusters",
                 ClusterBody(scope, network, private_nodes)};
  spec.operation_path = GkeOperationPath(scope);
  spec.compare = [&scope, network](const Value& existing) {
    const Value* labels = existing.Find("resourceLabels");
    Comparison comparison;
    comparison.ours = labels != nullptr && json::TextAt(*labels, kOwnerLabel) == scope.name;
    SetReadiness(existing, comparison);
    comparison.warnings = DifferencesOf(existing, scope, network);
    return comparison;
  };
  return MakeApiResource(*scope.api, std::move(spec));
}

}  // namespace kinetic::provision
