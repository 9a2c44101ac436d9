#include "kinetic/try.h"

#include "google/advice.h"
#include "google/api/services.h"
#include "http/url.h"
#include "jobspec/accelerator/price.h"
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

std::int64_t MaxNodes(const NodePoolSpec& pool) {
  return static_cast<std::int64_t>(std::max(pool.max_nodes, pool.accelerator.hosts));
}

Value Autoscaling(std::int64_t max_nodes) {
  return Value::Map{{"enabled", true},
                    {"minNodeCount", 0},
                    {"maxNodeCount", max_nodes},
                    {"locationPolicy", "ANY"}};
}

/// Other pods must not run on nodes that may disappear.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/concepts/spot-vms
Value SpotTaints() {
  return Value::List{Value(Value::Map{
      {"key", "cloud.google.com/gke-spot"}, {"value", "true"}, {"effect", "NO_SCHEDULE"}})};
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

Value NodeConfig(const Scope& scope, const NodePoolSpec& pool) {
  Value::Map config = CommonNodeConfig(scope, jobspec::MachineOf(pool.accelerator));
  config.emplace_back("gcfsConfig", Value::Map{{"enabled", true}});
  if (pool.accelerator.kind == AcceleratorKind::kGpu) AddGpu(pool.accelerator, config);
  if (pool.spot) {
    config.emplace_back("spot", true);
    config.emplace_back("taints", SpotTaints());
  }
  if (pool.flex_start) AddFlexStart(config);
  if (!pool.reservation.empty())
    config.emplace_back("reservationAffinity", ReservationAffinity(pool.reservation));
  return config;
}

/// Single-host pools must not have a placement policy.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/tpus
Value PoolBody(const Scope& scope, const NodePoolSpec& pool) {
  Value::Map body{
      {"name", PoolName(pool)},
      {"initialNodeCount", 0},
      {"autoscaling", Autoscaling(MaxNodes(pool))},
      {"config", NodeConfig(scope, pool)},
      {"management", Value::Map{{"autoRepair", !pool.flex_start}, {"autoUpgrade", true}}}};
  if (IsMultiHost(pool)) {
    body.emplace_back("placementPolicy",
                      Value::Map{{"type", "COMPACT"}, {"tpuTopology", pool.accelerator.topology}});
  }
  return Value::Map{{"nodePool", std::move(body)}};
}

std::int64_t MaxNodesOf(const Value& existing) {
  const Value* autoscaling = existing.Find("autoscaling");
  const Value* count = autoscaling != nullptr ? autoscaling->Find("maxNodeCount") : nullptr;
  return count != nullptr && count->AsInt() != nullptr ? *count->AsInt() : 0;
}

void CompareSize(const Value& existing, const std::string& path, std::int64_t max_nodes,
                 Comparison& comparison) {
  const std::int64_t now = MaxNodesOf(existing);
  if (now == max_nodes) return;
  comparison.changes = {{"POST", std::string(google::kContainer), path + ":setAutoscaling",
                         Value::Map{{"autoscaling", Autoscaling(max_nodes)}}}};
  comparison.detail =
      "at most " + std::to_string(max_nodes) + " nodes instead of " + std::to_string(now);
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
         " nodes";
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
  spec.explain = [&scope, pool](Error error, std::stop_token stop) {
    return ExplainFailure(scope, pool, std::move(error), std::move(stop));
  };
  spec.compare = [=, path = spec.path](const Value& existing) {
    Comparison comparison;
    SetReadiness(existing, comparison);
    comparison.mismatch = PoolDifference(existing, pool);
    if (comparison.mismatch.empty()) CompareSize(existing, path, MaxNodes(pool), comparison);
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
