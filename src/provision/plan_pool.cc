#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "provision/cluster_access.h"
#include "provision/plan.h"
#include "provision/resources/all.h"

#include <memory>
#include <string>
#include <utility>

namespace kinetic {
namespace {

using State = ClusterPlan::State;

Result<std::shared_ptr<State>> OpenPool(const ClusterSpec& spec, const std::string& pool,
                                        std::uint32_t max_nodes, const ClusterAdminOptions& options,
                                        const std::stop_token& stop) {
  if (pool == provision::kSystemPool) {
    return Fail(ErrorCode::kInvalidArgument,
                "node pool " + pool + " runs the system's pods; it cannot be changed or deleted",
                "list the other node pools: kinetic pool ls");
  }
  KINETIC_ASSIGN_OR_RETURN(auto state, provision::OpenState(spec, options, stop));
  KINETIC_RETURN_IF_ERROR(provision::CheckCreatedByKinetic(*state, stop));
  state->resources.push_back(provision::MakeExistingPool(state->scope, pool, max_nodes));
  KINETIC_ASSIGN_OR_RETURN(const bool exists, state->resources.front()->IsOurs(stop));
  if (exists) return state;
  return Fail(ErrorCode::kNotFound,
              "cluster " + Printable(state->spec.name) + " has no node pool " + Printable(pool),
              "list them: kinetic pool ls");
}

}  // namespace

Result<ClusterPlan> PlanPoolRemoval(const ClusterSpec& spec, const std::string& pool,
                                    const ClusterAdminOptions& options, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto state, OpenPool(spec, pool, 1, options, stop));
  state->removes = true;
  const provision::Resource& resource = *state->resources.front();
  state->steps.push_back(
      {.action = PlanAction::kDelete,
       .kind = resource.Kind(),
       .name = resource.Name(),
       .detail = "",
       .expected = resource.ExpectedTime(),
       .requests = provision::ToPlanned(*state->api, resource.RemovalRequests())});
  KINETIC_ASSIGN_OR_RETURN(const auto cluster,
                           provision::ClusterAccess::Open(state->scope, state->options, stop));
  KINETIC_ASSIGN_OR_RETURN(state->running_jobs,
                           provision::ListJobsOnPool(cluster, pool, std::move(stop)));
  return ClusterPlan(std::move(state));
}

Result<ClusterPlan> PlanPoolResize(const ClusterSpec& spec, const std::string& pool,
                                   std::uint32_t max_nodes, const ClusterAdminOptions& options,
                                   std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto state, OpenPool(spec, pool, max_nodes, options, stop));
  KINETIC_RETURN_IF_ERROR(provision::CheckPoolSize(state->scope, pool, max_nodes, stop));
  provision::Resource& resource = *state->resources.front();
  KINETIC_ASSIGN_OR_RETURN(PlanStep step,
                           provision::ReadStep(*state->api, resource, std::move(stop)));
  state->steps.push_back(std::move(step));
  return ClusterPlan(std::move(state));
}

namespace provision {

Status CheckCreatedByKinetic(const State& state, std::stop_token stop) {
  const auto cluster = MakeCluster(state.scope, state.spec.network);
  KINETIC_ASSIGN_OR_RETURN(const bool is_ours, cluster->IsOurs(std::move(stop)));
  if (is_ours) return {};
  return Fail(ErrorCode::kNotFound,
              "project " + Printable(state.spec.project) + " has no cluster " +
                  Printable(state.spec.name) + " that kinetic created in " + state.scope.zone,
              "create it: kinetic up");
}

}  // namespace provision

}  // namespace kinetic
