#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "provision/cluster_access.h"
#include "provision/cost_estimate.h"
#include "provision/join/existing_cluster.h"
#include "provision/location.h"
#include "provision/plan.h"
#include "provision/pool_specs.h"
#include "provision/pool_status.h"
#include "provision/resources/all.h"
#include "provision/resources/pool_difference.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace kinetic::inline v0 {
namespace {

using State = ClusterPlan::State;

/// An existing pool of a cluster that kinetic created.
struct ExistingNodePool {
  std::shared_ptr<State> state;
  Value found;  ///< GKE's NodePool
};

/// Adds the price of the pool's nodes, which cost nothing when idle.
void AddPoolPrice(const NodePoolStatus& pool, std::uint32_t max_nodes, ClusterPrice& price) {
  const double dollars = pool.price ? pool.price->dollars_per_hour : 0;
  if (pool.price) price.busy_before = pool.max_nodes * dollars;
  if (pool.price || max_nodes == 0) price.busy = max_nodes * dollars;
  if (pool.price) provision::NoteDate(*pool.price, price.date);
}

/// Adds the quotas that the cluster needs with a new maximum of one pool.
Status AddQuotasAfterResize(State& state, const Value& resized, std::uint32_t max_nodes,
                            const std::stop_token& stop) {
  auto pool = provision::SpecOf(provision::ParsePool(state.scope, resized));
  if (!pool) return {};
  pool->max_nodes = max_nodes;
  KINETIC_ASSIGN_OR_RETURN(const Value cluster, provision::FindCluster(state.scope, stop));
  state.existing_pools = provision::ParseCluster(state.scope, cluster).pools;
  return provision::AddQuotas(state, {*std::move(pool)}, stop);
}

/// Warns if the next PlanUp would create the pool again.
void WarnIfSpecified(const std::string& pool, State& state) {
  if (std::ranges::find(state.spec.pools, pool, provision::PoolName) == state.spec.pools.end())
    return;
  state.warnings.push_back("node pool " + pool +
                           " is in the cluster file; to keep 'kinetic up' from creating it again, "
                           "remove it there");
}

/// @param max_nodes  the new maximum; 0: the pool is deleted.
Result<ExistingNodePool> OpenPool(const ClusterSpec& spec, const std::string& pool,
                                  std::uint32_t max_nodes, const ClusterAdminOptions& options,
                                  const std::stop_token& stop) {
  if (pool == provision::kSystemPool) {
    return Fail(ErrorCode::kInvalidArgument,
                "node pool " + pool + " runs the system's pods; it cannot be changed or deleted",
                "list the other node pools: kinetic pool ls");
  }
  KINETIC_ASSIGN_OR_RETURN(auto state, provision::OpenState(spec, options, stop));
  KINETIC_RETURN_IF_ERROR(provision::CheckCreatedByKinetic(*state, stop));
  KINETIC_ASSIGN_OR_RETURN(auto found, provision::FindPool(state->scope, pool, stop));
  if (!found)
    return Fail(ErrorCode::kNotFound,
                "cluster " + Printable(state->spec.name) + " has no node pool " + Printable(pool),
                "list them: kinetic pool ls");
  AddPoolPrice(provision::PoolStatusOf(state->scope, *found, state->options.prices), max_nodes,
               state->price);
  state->resources.push_back(provision::MakeExistingPool(state->scope, pool, max_nodes));
  return ExistingNodePool{std::move(state), *std::move(found)};
}

}  // namespace

Result<ClusterPlan> PlanPoolRemoval(const ClusterSpec& spec, const std::string& pool,
                                    const ClusterAdminOptions& options, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto existing, OpenPool(spec, pool, 0, options, stop));
  State& state = *existing.state;
  state.removes = true;
  WarnIfSpecified(pool, state);
  const provision::Resource& resource = *state.resources.front();
  state.steps.push_back({.action = PlanAction::kDelete,
                         .kind = resource.Kind(),
                         .name = resource.Name(),
                         .detail = "",
                         .expected = resource.ExpectedTime(),
                         .requests = provision::ToPlanned(*state.api, resource.RemovalRequests())});
  KINETIC_ASSIGN_OR_RETURN(const auto cluster,
                           provision::ClusterAccess::Open(state.scope, state.options, stop));
  KINETIC_ASSIGN_OR_RETURN(state.running_jobs,
                           provision::ListJobsOnPool(cluster, pool, std::move(stop)));
  return ClusterPlan(std::move(existing.state));
}

Result<ClusterPlan> PlanPoolResize(const ClusterSpec& spec, const std::string& pool,
                                   std::uint32_t max_nodes, const ClusterAdminOptions& options,
                                   std::stop_token stop) {
  if (max_nodes == 0)
    return Fail(ErrorCode::kInvalidArgument,
                "the maximum number of nodes of node pool " + Printable(pool) + " cannot be 0",
                "idle nodes cost nothing; to delete the pool: kinetic pool rm " + Printable(pool));
  KINETIC_ASSIGN_OR_RETURN(auto existing, OpenPool(spec, pool, max_nodes, options, stop));
  KINETIC_RETURN_IF_ERROR(
      provision::CheckSliceSize(pool, provision::SliceNodes(existing.found), max_nodes));
  State& state = *existing.state;
  KINETIC_ASSIGN_OR_RETURN(PlanStep step,
                           provision::ReadStep(*state.api, *state.resources.front(), stop));
  state.steps.push_back(std::move(step));
  KINETIC_RETURN_IF_ERROR(AddQuotasAfterResize(state, existing.found, max_nodes, stop));
  return ClusterPlan(std::move(existing.state));
}

}  // namespace kinetic::inline v0

namespace kinetic::provision {

Status CheckCreatedByKinetic(const State& state, std::stop_token stop) {
  const auto cluster = MakeCluster(state.scope, state.spec.network);
  KINETIC_ASSIGN_OR_RETURN(const bool is_ours, cluster->IsOurs(std::move(stop)));
  if (is_ours) return {};
  return Fail(ErrorCode::kNotFound,
              "project " + Printable(state.spec.project) + " has no cluster " +
                  Printable(state.spec.name) + " that kinetic created in " + state.scope.zone,
              CreationHint(state.spec));
}

}  // namespace kinetic::provision
