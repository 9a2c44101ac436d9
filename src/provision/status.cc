#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "google/api/services.h"
#include "jobspec/accelerator/price.h"
#include "json/document.h"
#include "provision/cluster_access.h"
#include "provision/cost_estimate.h"
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

/// Adds the price of what exists, and the estimate of what it cost.
void AddPrice(WallTime created, const provision::NodeTimes& nodes, ClusterStatus& status) {
  const WallTime now = SystemClock().Now();
  status.price_date = jobspec::kPriceDate;
  double per_hour = jobspec::kClusterFee;
  double this_month = jobspec::kClusterFee * provision::HoursThisMonth(created, now);
  for (const NodePoolStatus& pool : status.pools) {
    const auto found = nodes.find(pool.name);
    if (found == nodes.end()) continue;
    if (!pool.price) return;
    for (const WallTime node : found->second) {
      per_hour += *pool.price;
      this_month += *pool.price * provision::HoursThisMonth(node, now);
    }
  }
  status.price_per_hour = per_hour;
  status.cost_this_month = this_month;
}

/// Adds what only the cluster itself knows, and returns its nodes. A cluster that is not running yet
/// has none.
Result<provision::NodeTimes> AddNodesAndJobs(const State& state, ClusterStatus& status,
                                             const std::stop_token& stop) {
  if (status.status != "RUNNING" && status.status != "RECONCILING") return provision::NodeTimes{};
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
  KINETIC_ASSIGN_OR_RETURN(auto nodes, provision::ListNodes(cluster, stop));
  for (NodePoolStatus& pool : status.pools) {
    const auto found = nodes.find(pool.name);
    if (found != nodes.end()) pool.nodes = static_cast<std::uint32_t>(found->second.size());
  }
  return nodes;
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
  KINETIC_ASSIGN_OR_RETURN(const auto nodes, AddNodesAndJobs(*state, status, stop));
  const auto created = ParseTime(json::TextAt(*cluster, "createTime"));
  AddPrice(created.value_or(SystemClock().Now()), nodes, status);
  return status;
}

}  // namespace kinetic
