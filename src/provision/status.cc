#include "kinetic/cluster_status.h"
#include "kinetic/try.h"

#include "base/strings.h"
#include "base/time/clock.h"
#include "google/api/services.h"
#include "jobspec/accelerator/price.h"
#include "json/document.h"
#include "provision/cluster_access.h"
#include "provision/cost_estimate.h"
#include "provision/location.h"
#include "provision/plan.h"
#include "provision/pool_status.h"
#include "provision/shutdown/objects.h"
#include "provision/user.h"

#include <memory>
#include <string>
#include <utility>

namespace kinetic::inline v0 {
namespace {

using State = ClusterPlan::State;

/// Adds the price of what exists, and the estimate of what it cost.
void AddPrice(WallTime created, const provision::NodeTimes& nodes, ClusterStatus& status) {
  const WallTime now = SystemClock().Now();
  double per_hour = jobspec::kClusterFee;
  double this_month = jobspec::kClusterFee * provision::HoursThisMonth(created, now);
  for (const NodePoolStatus& pool : status.pools) {
    const auto found = nodes.find(pool.name);
    if (found == nodes.end()) continue;
    if (!pool.price) return;
    provision::NoteDate(*pool.price, status.price_date);
    for (const WallTime node : found->second) {
      per_hour += pool.price->dollars_per_hour;
      this_month += pool.price->dollars_per_hour * provision::HoursThisMonth(node, now);
    }
  }
  status.price_per_hour = per_hour;
  status.cost_this_month = this_month;
}

/// Adds what only the cluster itself knows, and returns its nodes. A cluster that is not running yet
/// has none.
Result<provision::NodeTimes> AddNodesAndJobs(const State& state, ClusterStatus& status,
                                             const std::stop_token& stop) {
  if (status.status != "RUNNING" && status.status != "RECONCILING") {
    status.running_jobs = 0;
    for (NodePoolStatus& pool : status.pools) pool.nodes = 0;
    return provision::NodeTimes{};
  }
  KINETIC_ASSIGN_OR_RETURN(const auto cluster,
                           provision::ClusterAccess::OpenToRead(state.scope, state.options, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto namespaces, provision::ListNamespaces(cluster, stop));
  KINETIC_ASSIGN_OR_RETURN(const auto jobs, provision::ListRunningJobs(cluster, namespaces, stop));
  status.running_jobs = jobs.size();
  KINETIC_ASSIGN_OR_RETURN(const auto cron_job, provision::FindShutdownCronJob(cluster, stop));
  if (cron_job) {
    KINETIC_ASSIGN_OR_RETURN(const auto shutdown, provision::PolicyOf(*cron_job));
    status.expires = shutdown.deadline;
    status.down_when_idle = shutdown.idle_time;
    if (shutdown.IsActive()) status.shutdown_status = provision::CheckOf(*cron_job);
  }
  KINETIC_ASSIGN_OR_RETURN(auto nodes, provision::ListNodes(cluster, stop));
  for (NodePoolStatus& pool : status.pools) {
    const auto found = nodes.find(pool.name);
    pool.nodes = found != nodes.end() ? static_cast<std::uint32_t>(found->second.size()) : 0;
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
        provision::CreationHint(state->spec));
  }
  ClusterStatus status;
  status.name = state->spec.name;
  status.location = state->spec.location;
  status.status = json::TextAt(*cluster, "status");
  status.version = json::TextAt(*cluster, "currentMasterVersion");
  json::ObjectReader reader(*cluster, "cluster");
  for (const Value& pool : reader.List("nodePools")) {
    status.pools.push_back(provision::PoolStatusOf(state->scope, pool, options.prices));
  }
  KINETIC_ASSIGN_OR_RETURN(status.users, provision::FindUsers(state->scope, stop));
  const auto nodes = AddNodesAndJobs(*state, status, stop);
  if (!nodes) {
    const ErrorCode code = nodes.error().code;
    if (code != ErrorCode::kUnavailable && code != ErrorCode::kDeadlineExceeded)
      return Failure(nodes.error());
    status.access_status = Failure(nodes.error());
    return status;
  }
  const auto created = ParseTime(json::TextAt(*cluster, "createTime"));
  AddPrice(created.value_or(SystemClock().Now()), *nodes, status);
  return status;
}

}  // namespace kinetic::inline v0
