#include "provision/join/cluster_checks.h"

#include "base/strings.h"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

HealthCheck Bad(std::string name, Health health, std::string evidence, std::string advice) {
  return {.name = std::move(name),
          .health = health,
          .evidence = std::move(evidence),
          .advice = std::move(advice)};
}

/// Returns the pools whose pods get the identity of the node.
std::vector<std::string> PoolsWithoutIdentities(const ExistingCluster& cluster) {
  std::vector<std::string> names;
  for (const ExistingPool& pool : cluster.pools) {
    if (!pool.has_pod_identities) names.push_back(Printable(pool.name));
  }
  return names;
}

std::string PoolsWithAccelerators(const ExistingCluster& cluster) {
  std::vector<std::string> texts;
  for (const ExistingPool& pool : cluster.pools) {
    if (!pool.has_accelerators) continue;
    texts.push_back(fmt::format("{} ({})", Printable(pool.name), Printable(pool.machine_type)));
  }
  return Join(texts, ", ");
}

}  // namespace

HealthCheck CheckStatus(const ExistingCluster& cluster) {
  HealthCheck check{.name = "GKE cluster"};
  check.evidence =
      fmt::format("{} in {} is {}: {}, Kubernetes {}", Printable(cluster.name),
                  Printable(cluster.location), Printable(cluster.status),
                  cluster.autopilot ? "Autopilot" : "Standard", Printable(cluster.version));
  if (cluster.status == "RUNNING" || cluster.status == "RECONCILING") return check;
  check.health = Health::kFailed;
  check.advice = cluster.status == "ERROR"
                     ? "create it again: kinetic up --replace, or delete it: kinetic down"
                     : "wait until it is running";
  return check;
}

/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity
HealthCheck CheckPodIdentities(const Scope& scope, const ExistingCluster& cluster) {
  constexpr const char* kName = "Workload Identity";
  if (cluster.workload_pool.empty()) {
    return Bad(kName, Health::kFailed, "off, so pods cannot get an identity for the bucket",
               fmt::format("gcloud container clusters update {}{} --workload-pool={}", scope.name,
                           scope.PlaceOptions(), scope.WorkloadPool()));
  }
  const std::vector<std::string> lacking =
      cluster.autopilot ? std::vector<std::string>() : PoolsWithoutIdentities(cluster);
  if (lacking.empty())
    return {.name = kName, .evidence = "on: " + Printable(cluster.workload_pool)};
  const bool all = lacking.size() == cluster.pools.size();
  return Bad(
      kName, all ? Health::kFailed : Health::kWarning,
      fmt::format("off in node pool{} {}", lacking.size() == 1 ? "" : "s", Join(lacking, ", ")),
      fmt::format("gcloud container node-pools update {} --cluster={}{} "
                  "--workload-metadata=GKE_METADATA, which recreates its nodes",
                  lacking.front(), scope.name, scope.PlaceOptions()));
}

HealthCheck CheckNodePools(const Scope& scope, const ExistingCluster& cluster) {
  HealthCheck check{.name = "node pools"};
  check.evidence = PoolsWithAccelerators(cluster);
  if (!check.evidence.empty()) return check;
  if (cluster.autopilot || cluster.auto_provisioning) {
    check.evidence = "GKE creates nodes for the accelerators of waiting jobs";
    if (cluster.autopilot)
      check.evidence +=
          "; without 'resources:', a container has 0.5 CPUs, 2 GiB of memory and 1 GiB of disk";
    return check;
  }
  check.health = Health::kWarning;
  check.evidence = "none has accelerators";
  if (cluster.created_by_kinetic) {
    check.advice = "create one, for example: kinetic pool add v5litepod-1";
    return check;
  }
  check.advice = fmt::format(
      "create one, for example: gcloud container node-pools create v5litepod-1 --cluster={}{} "
      "--machine-type=ct5lp-hightpu-1t --num-nodes=0 --enable-autoscaling --min-nodes=0 "
      "--max-nodes=1{}",
      scope.name, scope.PlaceOptions(),
      cluster.workload_pool.empty() ? "" : " --workload-metadata=GKE_METADATA");
  return check;
}

/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/gpus
std::optional<HealthCheck> CheckDrivers(const Scope& scope, const ExistingCluster& cluster) {
  constexpr const char* kName = "GPU drivers";
  const ExistingPool* lacking = nullptr;
  bool has_gpus = false;
  for (const ExistingPool& pool : cluster.pools) {
    has_gpus = has_gpus || pool.gpus > 0;
    if (pool.gpus > 0 && !pool.installs_driver) lacking = &pool;
  }
  if (!has_gpus) return std::nullopt;
  if (lacking == nullptr) return HealthCheck{.name = kName, .evidence = "GKE installs them"};
  return Bad(kName, Health::kWarning,
             fmt::format("GKE installs none in node pool {}", Printable(lacking->name)),
             fmt::format("install one in the cluster, or: gcloud container node-pools update {} "
                         "--cluster={}{} --accelerator=type={},count={},gpu-driver-version=default",
                         Printable(lacking->name), scope.name, scope.PlaceOptions(),
                         Printable(lacking->gpu), lacking->gpus));
}

}  // namespace kinetic::provision
