#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "google/api/services.h"
#include "jobspec/accelerator/price.h"
#include "json/document.h"
#include "provision/cluster_access.h"
#include "provision/plan.h"
#include "provision/resources/gke.h"
#include "provision/user.h"

#include <memory>
#include <string>
#include <utility>

namespace kinetic {
namespace {

using State = ClusterPlan::State;

std::uint32_t CountAt(const Value* map, std::string_view key) {
  const Value* count = map != nullptr ? map->Find(key) : nullptr;
  const std::int64_t* number = count != nullptr ? count->AsInt() : nullptr;
  return number != nullptr ? static_cast<std::uint32_t>(*number) : 0;
}

NodePoolStatus ToPool(const Value& pool, std::string_view region) {
  NodePoolStatus status;
  status.name = json::TextAt(pool, "name");
  status.status = json::TextAt(pool, "status");
  if (const Value* config = pool.Find("config")) {
    status.machine_type = json::TextAt(*config, "machineType");
    status.spot = provision::HasFlag(*config, "spot");
    // Flex-start has prices of its own, which are not in the list.
    if (!provision::HasFlag(*config, "flexStart"))
      status.price = jobspec::PriceOfMachine(status.machine_type, region, status.spot);
  }
  const Value* autoscaling = pool.Find("autoscaling");
  status.max_nodes = CountAt(autoscaling, "maxNodeCount");
  if (status.max_nodes == 0) status.max_nodes = CountAt(&pool, "initialNodeCount");
  return status;
}

void AddPrice(ClusterStatus& status) {
  status.price_date = jobspec::kPriceDate;
  status.price_per_hour = jobspec::kClusterFee;
  for (const NodePoolStatus& pool : status.pools) {
    if (pool.nodes == 0) continue;
    if (!pool.price || !status.price_per_hour) {
      status.price_per_hour.reset();
      continue;
    }
    *status.price_per_hour += pool.nodes * *pool.price;
  }
}

/// Adds what only the cluster itself knows. A cluster that is not running yet has no nodes.
Status AddNodesAndJobs(const State& state, ClusterStatus& status, const std::stop_token& stop) {
  if (status.status != "RUNNING" && status.status != "RECONCILING") return {};
  KINETIC_ASSIGN_OR_RETURN(const auto cluster,
                           provision::ClusterAccess::Open(state.scope, state.options, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto namespaces, provision::ListNamespaces(cluster, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto jobs, provision::ListRunningJobs(cluster, namespaces, stop));
  status.running_jobs = jobs.size();
  KINETIC_ASSIGN_OR_RETURN(const auto shutdown, provision::FindShutdownPolicy(cluster, stop));
  if (shutdown) {
    status.expires = shutdown->deadline;
    status.down_when_idle = shutdown->idle_time;
  }
  KINETIC_ASSIGN_OR_RETURN(const auto counts, provision::CountNodes(cluster, stop));
  for (NodePoolStatus& pool : status.pools) {
    const auto found = counts.find(pool.name);
    if (found != counts.end()) pool.nodes = found->second;
  }
  return {};
}

}  // namespace

Result<ClusterStatus> GetClusterStatus(const ClusterSpec& spec, const ClusterAdminOptions& options,
                                       std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto state, provision::OpenState(spec, options, stop));
  KINETIC_ASSIGN_OR_RETURN(
      const auto cluster,
      state->api->Find(std::string(google::kContainer), "/v1/" + state->scope.ClusterPath(), stop));
  if (!cluster) {
    return Fail(
        ErrorCode::kNotFound,
        "cluster " + Printable(spec.name) + " does not exist in project " + Printable(spec.project),
        "create it: kinetic up");
  }
  ClusterStatus status;
  status.name = state->spec.name;
  status.location = state->spec.location;
  status.status = json::TextAt(*cluster, "status");
  status.version = json::TextAt(*cluster, "currentMasterVersion");
  json::ObjectReader reader(*cluster, "cluster");
  for (const Value& pool : reader.List("nodePools")) {
    status.pools.push_back(ToPool(pool, state->scope.Region()));
  }
  KINETIC_ASSIGN_OR_RETURN(status.users, provision::FindUsers(state->scope, stop));
  KINETIC_RETURN_IF_ERROR(AddNodesAndJobs(*state, status, stop));
  AddPrice(status);
  return status;
}

}  // namespace kinetic
