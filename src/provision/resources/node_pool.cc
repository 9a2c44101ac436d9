#include "kinetic/try.h"

#include "base/strings.h"
#include "google/advice.h"
#include "google/api/services.h"
#include "http/url.h"
#include "jobspec/accelerator/price.h"
#include "jobspec/accelerator/table.h"
#include "json/document.h"
#include "provision/location.h"
#include "provision/resources/all.h"
#include "provision/resources/gke.h"
#include "provision/resources/pool_difference.h"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace kinetic::provision {
namespace {

/// The autoscaler deletes idle nodes after this time, rather than after minutes that it chooses.
constexpr std::chrono::seconds kIdleTime{120};
/// Gives the collector of a stopped Spot node up to this time, if Google announces the end so early.
constexpr std::int64_t kSpotGraceSeconds = 120;
/// The first minor version of Kubernetes all of whose releases support it.
constexpr std::int64_t kSpotGraceMinorVersion = 36;

std::int64_t MaxNodes(const NodePoolSpec& pool) { return std::max(pool.max_nodes, 1U); }

constexpr std::uint64_t kGibibyte = std::uint64_t{1} << 30;

std::string SecondsText(std::chrono::seconds time) { return std::to_string(time.count()) + "s"; }

Value Autoscaling(std::int64_t max_nodes) {
  return Value::Map{{"enabled", true},
                    {"minNodeCount", 0},
                    {"maxNodeCount", max_nodes},
                    {"locationPolicy", "ANY"}};
}

Value Taint(std::string_view key) {
  return Value::Map{{"key", std::string(key)}, {"value", "true"}, {"effect", "NO_SCHEDULE"}};
}

/// Other pods must not run on nodes that may disappear, or that the pods would keep from being
/// deleted. GKE itself taints nodes with accelerators.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms
Value::List TaintsOf(const NodePoolSpec& pool) {
  Value::List taints;
  if (pool.accelerator.kind == AcceleratorKind::kCpu) taints.push_back(Taint(jobspec::kJobsTaint));
  if (pool.spot) taints.push_back(Taint("cloud.google.com/gke-spot"));
  return taints;
}

void AddGpu(const Accelerator& accelerator, Value::Map& config) {
  const Value driver(Value::Map{{"gpuDriverVersion", "LATEST"}});
  config.emplace_back(
      "accelerators",
      Value::List{Value(Value::Map{{"acceleratorType", accelerator.node_label},
                                   {"acceleratorCount", std::to_string(accelerator.chips)},
                                   {"gpuDriverInstallationConfig", driver}})});
}

Value ReservationAffinity(const std::string& reservation) {
  return Value::Map{{"consumeReservationType", "SPECIFIC_RESERVATION"},
                    {"key", "compute.googleapis.com/reservation-name"},
                    {"values", Value::List{Value(reservation)}}};
}

/// GKE creates the nodes when there is capacity, and deletes them after seven days, the maximum.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/concepts/dws
void AddFlexStart(Value::Map& config) {
  config.emplace_back("flexStart", true);
  config.emplace_back("maxRunDuration", "604800s");
  config.emplace_back("reservationAffinity",
                      Value::Map{{"consumeReservationType", "NO_RESERVATION"}});
}

/// GKE refuses the grace period in earlier versions.
bool HasSpotGrace(const std::string& version) {
  if (version.empty()) return false;
  const std::size_t minor = version.find('.') + 1;
  return ParseInt(version.substr(minor, version.find('.', minor) - minor)).value_or(0) >=
         kSpotGraceMinorVersion;
}

Value NodeConfig(const Scope& scope, const NodePoolSpec& pool) {
  Value::Map config = CommonNodeConfig(scope, jobspec::MachineOf(pool.accelerator));
  config.emplace_back("gcfsConfig", Value::Map{{"enabled", true}});
  if (pool.accelerator.kind == AcceleratorKind::kGpu) AddGpu(pool.accelerator, config);
  config.emplace_back("consolidationDelay", SecondsText(pool.idle_time.value_or(kIdleTime)));
  if (pool.disk_bytes != 0)
    config.emplace_back(
        "bootDisk",
        Value::Map{{"sizeGb", std::to_string((pool.disk_bytes + kGibibyte - 1) / kGibibyte)}});
  if (Value::List taints = TaintsOf(pool); !taints.empty())
    config.emplace_back("taints", std::move(taints));
  if (pool.spot) {
    config.emplace_back("spot", true);
    if (HasSpotGrace(scope.version))
      config.emplace_back("kubeletConfig",
                          Value::Map{{"shutdownGracePeriodSeconds", kSpotGraceSeconds}});
  }
  if (pool.flex_start) AddFlexStart(config);
  if (!pool.reservation.empty())
    config.emplace_back("reservationAffinity", ReservationAffinity(pool.reservation));
  return config;
}

/// An upgrade must not start additional accelerators.
Value UpgradeSettings() { return Value::Map{{"maxSurge", 0}, {"maxUnavailable", 1}}; }

/// Single-host pools must not have a placement policy.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
Value PoolBody(const Scope& scope, const NodePoolSpec& pool) {
  const Value::Map body{
      {"name", PoolName(pool)},
      {"initialNodeCount", 0},
      {"autoscaling", Autoscaling(MaxNodes(pool))},
      {"config", NodeConfig(scope, pool)},
      {"management", Value::Map{{"autoRepair", !pool.flex_start}, {"autoUpgrade", true}}},
      {"upgradeSettings", UpgradeSettings()}};
  return Value::Map{{"nodePool", body}};
}

std::int64_t MaxNodesOf(const Value& existing) {
  const Value* autoscaling = existing.Find("autoscaling");
  const Value* count = autoscaling != nullptr ? autoscaling->Find("maxNodeCount") : nullptr;
  return count != nullptr && count->AsInt() != nullptr ? *count->AsInt() : 0;
}

/// @param is_optional  the caller did not request the change; pools of earlier versions lack it.
void AddChange(google::ApiRequest request, const std::string& detail, bool is_optional,
               Comparison& comparison) {
  comparison.is_optional = is_optional && (comparison.is_optional || comparison.changes.empty());
  comparison.changes.push_back(std::move(request));
  comparison.detail += (comparison.detail.empty() ? "" : ", ") + detail;
}

void CompareSize(const Value& existing, const std::string& path, std::int64_t max_nodes,
                 Comparison& comparison) {
  const std::int64_t now = MaxNodesOf(existing);
  if (now == max_nodes) return;
  AddChange({"POST", std::string(google::kContainer), path + ":setAutoscaling",
             Value::Map{{"autoscaling", Autoscaling(max_nodes)}}},
            "at most " + std::to_string(max_nodes) + " nodes instead of " + std::to_string(now),
            false, comparison);
}

/// Pools of earlier versions lack the taint.
void CompareTaints(const Value& config, const std::string& path, Comparison& comparison) {
  if (config.ToJson().find(jobspec::kJobsTaint) != std::string::npos) return;
  json::ObjectReader reader(config, "config");
  Value::List taints = reader.List("taints");
  taints.push_back(Taint(jobspec::kJobsTaint));
  AddChange({"PUT", std::string(google::kContainer), path,
             Value::Map{{"taints", Value::Map{{"taints", std::move(taints)}}}}},
            "only for jobs, so that idle nodes are deleted", true, comparison);
}

/// An idle time that was set before is kept unless another one is specified.
void CompareIdleTime(const Value& config, const NodePoolSpec& pool, const std::string& path,
                     Comparison& comparison) {
  const std::string now = json::TextAt(config, "consolidationDelay");
  const auto time = pool.idle_time.value_or(kIdleTime);
  if (now == SecondsText(time) || (!pool.idle_time && !now.empty())) return;
  AddChange({"PUT", std::string(google::kContainer), path,
             Value::Map{{"consolidationDelay", SecondsText(time)}}},
            "idle nodes are deleted after " + FormatDuration(time), !pool.idle_time, comparison);
}

void CompareUpgrades(const Value& existing, const std::string& path, Comparison& comparison) {
  const Value* upgrades = existing.Find("upgradeSettings");
  const Value* surge = upgrades != nullptr ? upgrades->Find("maxSurge") : nullptr;
  if (surge == nullptr || surge->AsInt() == nullptr || *surge->AsInt() == 0) return;
  AddChange({"PUT", std::string(google::kContainer), path,
             Value::Map{{"upgradeSettings", UpgradeSettings()}}},
            "upgrades start no additional node", true, comparison);
}

/// Compares the properties of a pool that GKE can change.
void CompareSettings(const Value& existing, const NodePoolSpec& pool, const std::string& path,
                     Comparison& comparison) {
  const Value* config = existing.Find("config");
  if (config == nullptr) return;
  if (pool.accelerator.kind == AcceleratorKind::kCpu) CompareTaints(*config, path, comparison);
  CompareIdleTime(*config, pool, path, comparison);
  CompareUpgrades(existing, path, comparison);
}

/// Returns the request with the features that the cluster's version supports. The cluster exists by
/// now.
google::ApiRequest WithVersion(Scope scope, const NodePoolSpec& pool, google::ApiRequest create,
                               std::stop_token stop) {
  const auto cluster =
      scope.api->Find(create.service, "/v1/" + scope.ClusterPath(), std::move(stop));
  if (cluster && *cluster) scope.version = json::TextAt(**cluster, "currentMasterVersion");
  create.body = PoolBody(scope, pool);
  return create;
}

/// Returns a pool's spec without what creates and compares it.
ApiResourceSpec BaseSpec(const Scope& scope, const std::string& name) {
  ApiResourceSpec spec;
  spec.kind = "node pool";
  spec.name = name;
  spec.key = "node pool " + name;
  spec.needs = {"cluster"};
  spec.expected = std::chrono::minutes{2};
  spec.service = google::kContainer;
  spec.path = "/v1/" + scope.ClusterPath() + "/nodePools/" + http::PercentEncode(name);
  spec.operation_path = GkeOperationPath(scope);
  return spec;
}

std::string Describe(const NodePoolSpec& pool) {
  return jobspec::MachineOf(pool.accelerator) + (pool.spot ? ", Spot" : "") +
         (pool.flex_start ? ", flex-start" : "") + ", 0 to " + std::to_string(MaxNodes(pool)) +
         " nodes, idle ones deleted after " + FormatDuration(pool.idle_time.value_or(kIdleTime));
}

/// Names other zones if the zone has no capacity.
Error ExplainFailure(const Scope& scope, const NodePoolSpec& pool, Error error,
                     std::stop_token stop) {
  if (!google::IsStockOut(error.message)) return error;
  auto zones =
      ZonesOf(*scope.api, scope.project, jobspec::MachineOf(pool.accelerator), std::move(stop));
  if (!zones) return error;
  std::erase(*zones, scope.zone);
  if (zones->empty()) return error;
  error.hint = "the zone has no capacity now; " + ZoneHint(std::move(*zones), scope.Region()) +
               "; for a cluster there: kinetic up --cluster NAME --location ZONE";
  return error;
}

}  // namespace

std::string PoolName(const NodePoolSpec& pool) {
  if (!pool.name.empty()) return pool.name;
  return pool.accelerator.name + (pool.spot ? "-spot" : pool.flex_start ? "-flex" : "");
}

std::unique_ptr<Resource> MakeNodePool(const Scope& scope, const NodePoolSpec& pool) {
  ApiResourceSpec spec = BaseSpec(scope, PoolName(pool));
  spec.detail = Describe(pool);
  spec.create = {"POST", spec.service, "/v1/" + scope.ClusterPath() + "/nodePools",
                 PoolBody(scope, pool)};
  if (pool.spot && scope.version.empty())
    spec.create_now = [&scope, pool, create = spec.create](std::stop_token stop) {
      return WithVersion(scope, pool, create, std::move(stop));
    };
  spec.explain = [&scope, pool](Error error, std::stop_token stop) {
    return ExplainFailure(scope, pool, std::move(error), std::move(stop));
  };
  spec.compare = [=, path = spec.path](const Value& existing) {
    Comparison comparison;
    SetReadiness(existing, comparison);
    comparison.mismatch = PoolDifference(existing, pool);
    if (!comparison.mismatch.empty()) return comparison;
    CompareSize(existing, path, MaxNodes(pool), comparison);
    CompareSettings(existing, pool, path, comparison);
    return comparison;
  };
  return MakeApiResource(*scope.api, std::move(spec));
}

Result<std::optional<Value>> FindPool(const Scope& scope, const std::string& name,
                                      std::stop_token stop) {
  const ApiResourceSpec spec = BaseSpec(scope, name);
  return scope.api->Find(spec.service, spec.path, std::move(stop));
}

std::unique_ptr<Resource> MakeExistingPool(const Scope& scope, const std::string& name,
                                           std::uint32_t max_nodes) {
  ApiResourceSpec spec = BaseSpec(scope, name);
  spec.compare = [max_nodes, path = spec.path](const Value& existing) {
    Comparison comparison;
    SetReadiness(existing, comparison);
    CompareSize(existing, path, max_nodes, comparison);
    return comparison;
  };
  return MakeApiResource(*scope.api, std::move(spec));
}

}  // namespace kinetic::provision
