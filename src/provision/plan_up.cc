#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "google/api/services.h"
#include "jobspec/accelerator/price.h"
#include "provision/cluster_access.h"
#include "provision/cost_estimate.h"
#include "provision/location.h"
#include "provision/missing_roles.h"
#include "provision/plan.h"
#include "provision/pool_sizes.h"
#include "provision/resources/all.h"
#include "provision/resources/pool_difference.h"
#include "provision/user.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::inline v0 {
namespace {

using State = ClusterPlan::State;

constexpr std::size_t kConcurrentReads = 8;

Status ReadAll(State& state, std::stop_token stop) {
  state.steps.resize(state.resources.size());
  return ParallelFor(
      kConcurrentReads, state.resources.size(), std::move(stop),
      [&](std::size_t index, std::stop_token each) -> Status {
        KINETIC_ASSIGN_OR_RETURN(
            state.steps[index],
            provision::ReadStep(*state.api, *state.resources[index], std::move(each)));
        return {};
      });
}

void AddStepWarnings(State& state) {
  for (const PlanStep& step : state.steps)
    state.warnings.insert(state.warnings.end(), step.warnings.begin(), step.warnings.end());
}

Status FindJobsOnReplacedPools(State& state, const std::stop_token& stop) {
  std::optional<provision::ClusterAccess> cluster;
  for (PlanStep& step : state.steps) {
    if (step.action != PlanAction::kReplace || step.kind != "node pool") continue;
    if (!cluster) {
      KINETIC_ASSIGN_OR_RETURN(cluster,
                               provision::ClusterAccess::Find(state.scope, state.options, stop));
    }
    if (!cluster) return {};  // the cluster failed, too
    KINETIC_ASSIGN_OR_RETURN(step.running_jobs,
                             provision::ListJobsOnPool(*cluster, step.name, stop));
  }
  return {};
}

/// Adds the price of the pools, which cost nothing when idle.
void AddPrice(State& state) {
  ClusterPrice& price = state.price;
  price.date = jobspec::kPriceDate;
  price.busy = price.idle;
  for (const NodePoolSpec& pool : state.spec.pools) {
    // Flex-start has prices of its own, which are not in the list.
    const auto node = pool.flex_start ? std::nullopt
                                      : jobspec::NodePrice(state.options.prices, pool.accelerator,
                                                           state.scope.Region(), pool.spot);
    const double nodes = std::max(pool.max_nodes, pool.accelerator.hosts);
    price.busy = node && price.busy ? std::optional(*price.busy + nodes * node->dollars_per_hour)
                                    : std::nullopt;
    if (node) provision::NoteNewerDate(*node, price.tpu_date);
  }
}

/// Users that exist keep their namespaces, also if they are not in the spec.
Status SetUsers(State& state, const std::stop_token& stop) {
  for (const std::string& given : std::exchange(state.spec.users, {})) {
    auto& users = state.spec.users;
    const std::string email = ToLower(given);  // as IAM stores it
    if (std::ranges::find(users, email) == users.end()) users.push_back(email);
  }
  state.users = state.spec.users;
  if (state.users.empty()) return {};
  KINETIC_ASSIGN_OR_RETURN(auto all, provision::FindUsers(state.scope, stop));
  all.insert(all.end(), state.users.begin(), state.users.end());
  return provision::CheckUsers(state.spec.name, all);
}

/// Checks the zone, or chooses it from the list. Without the API that has the machine types, the
/// first one is used unchecked.
Status SetZone(State& state, std::string_view how, const std::stop_token& stop) {
  const auto& listed = state.spec.locations;
  if (state.zones.size() == 1 && !listed.empty() &&
      std::ranges::find(listed, state.zones.front()) == listed.end()) {
    return Fail(ErrorCode::kFailedPrecondition,
                "cluster " + state.spec.name + " exists in " + state.zones.front() +
                    ", which is not one of its locations",
                "add the zone to locations, or choose another name: kinetic up --cluster NAME");
  }
  const std::vector zones = state.zones.empty() ? std::vector{state.scope.zone} : state.zones;
  const auto zone = provision::FirstFittingZone(*state.api, state.spec, zones, how, stop);
  if (!zone && !google::IsApiDisabled(zone.error())) return Failure(zone.error());
  if (zone) state.spec.location = state.scope.zone = *zone;
  state.is_zone_unchecked = !zone;
  if (!zone)
    state.warnings.push_back(
        "zone and quota are not checked, because the Compute Engine API is not enabled yet; "
        "using " +
        zones.front());
  return {};
}

/// Finds out whether the cluster deletes itself. Its account and grant may be of an earlier version.
/// A cluster that cannot be reached may still be in creation. A CronJob that uses another endpoint of
/// Google Cloud deletes another cluster.
Status FindShutdown(State& state, const std::stop_token& stop) {
  const auto cluster = provision::ClusterAccess::Find(state.scope, state.options, stop);
  if (!cluster || !*cluster) return {};
  const auto policy = provision::FindShutdownPolicy(**cluster, stop);
  if (!policy && policy.error().code == ErrorCode::kCancelled) return Failure(policy.error());
  if (policy && *policy && (*policy)->api_endpoint == state.options.cloud.api_endpoint)
    state.shutdown = **policy;
  return {};
}

/// So that one request to an administrator is enough. Another role may include the permissions, so
/// this prevents nothing.
void WarnOfMissingRoles(State& state, const std::stop_token& stop) {
  const auto roles = provision::FindMissingRoles(state.scope, state.steps, stop);
  if (!roles.empty())
    state.warnings.push_back("you lack permissions in project " + state.spec.project +
                             ", so the plan will fail; ask for " + Join(roles, ", "));
}

/// Adds to the error of one request what other requests would lack.
Error WithMissingRoles(const State& state, Error error, const std::stop_token& stop) {
  const auto roles = provision::FindMissingRoles(state.scope, {}, stop);
  if (!roles.empty()) error.hint = "ask for these roles in the project: " + Join(roles, ", ");
  return error;
}

/// @source  https://cloud.google.com/compute/docs/accelerator-optimized-machines#a3-high-vms
void WarnOfUnavailable(State& state) {
  constexpr std::uint32_t kWholeMachine = 8;
  for (const NodePoolSpec& pool : state.spec.pools) {
    const bool is_part = pool.accelerator.generation == "h100" &&
                         pool.accelerator.chips < kWholeMachine && pool.reservation.empty();
    if (!is_part || pool.spot || pool.flex_start) continue;
    state.warnings.push_back(
        "node pool " + provision::PoolName(pool) +
        ": Google offers fewer than 8 H100 GPUs only as spot or flex-start nodes; add --spot or "
        "--flex-start");
  }
}

/// Checks that the name of a pool to be added is not that of a pool with other nodes.
Status CheckAddition(const State& state, const std::stop_token& stop) {
  const NodePoolSpec& pool = state.spec.pools.front();
  const std::string name = provision::PoolName(pool);
  KINETIC_ASSIGN_OR_RETURN(const auto existing, provision::FindPool(state.scope, name, stop));
  const std::string difference = existing ? provision::PoolDifference(*existing, pool) : "";
  if (difference.empty()) return {};
  return Fail(ErrorCode::kAlreadyExists, "node pool " + name + " exists and " + difference,
              "choose another name with --name, or delete it first: kinetic pool rm " + name);
}

/// Compares the resources with what exists.
Result<ClusterPlan> FinishPlan(std::shared_ptr<State> state, const std::stop_token& stop) {
  Status read = ReadAll(*state, stop);
  if (!read && read.error().code == ErrorCode::kPermissionDenied)
    return Failure(WithMissingRoles(*state, std::move(read).error(), stop));
  KINETIC_RETURN_IF_ERROR(read);
  AddStepWarnings(*state);
  WarnOfMissingRoles(*state, stop);
  KINETIC_RETURN_IF_ERROR(FindJobsOnReplacedPools(*state, stop));
  AddPrice(*state);
  KINETIC_RETURN_IF_ERROR(provision::AddQuotas(*state, state->spec.pools, stop));
  WarnOfUnavailable(*state);
  return ClusterPlan(std::move(state));
}

/// Adds what else a user can do who wants a new cluster, but has one of that name elsewhere.
Error WithAlternatives(Error error, const ClusterSpec& spec) {
  for (const auto& [name, value] : error.details)
    if (name == provision::kOtherLocation)
      error.hint += ", choose another name with --cluster, or delete it first: " +
                    provision::DownCommand(spec, value);
  return error;
}

}  // namespace

Result<ClusterPlan> PlanUp(const ClusterSpec& spec, const ClusterAdminOptions& options,
                           std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(provision::CheckSpec(spec));
  KINETIC_RETURN_IF_ERROR(provision::CheckNewCluster(spec));
  auto opened = provision::OpenState(spec, options, stop);
  if (!opened) return Failure(WithAlternatives(std::move(opened).error(), spec));
  auto state = *std::move(opened);
  KINETIC_RETURN_IF_ERROR(SetZone(*state, "choose one with --location", stop));
  KINETIC_RETURN_IF_ERROR(SetUsers(*state, stop));
  const auto system = jobspec::PriceOfMachine(options.prices, provision::kSystemMachine, "", false);
  state->price.idle = jobspec::kClusterFee + (system ? system->dollars_per_hour : 0);
  KINETIC_RETURN_IF_ERROR(provision::CompareSizes(*state, stop));
  KINETIC_RETURN_IF_ERROR(FindShutdown(*state, stop));
  provision::AddResources(*state);
  return FinishPlan(std::move(state), stop);
}

Result<ClusterPlan> PlanPoolAddition(const ClusterSpec& spec, const NodePoolSpec& pool,
                                     const ClusterAdminOptions& options, std::stop_token stop) {
  ClusterSpec with_pool = spec;
  with_pool.pools = {pool};
  KINETIC_ASSIGN_OR_RETURN(auto state, provision::OpenState(with_pool, options, stop));
  KINETIC_RETURN_IF_ERROR(provision::CheckCreatedByKinetic(*state, stop));
  const std::string second =
      "create a second cluster there: kinetic up --cluster NAME --location "
      "ZONE --accelerator " +
      pool.accelerator.name;
  KINETIC_RETURN_IF_ERROR(SetZone(*state, second, stop));
  KINETIC_RETURN_IF_ERROR(CheckAddition(*state, stop));
  KINETIC_RETURN_IF_ERROR(provision::CompareSizes(*state, stop));
  state->resources.push_back(provision::MakeNodePool(state->scope, state->spec.pools.front()));
  return FinishPlan(std::move(state), stop);
}

}  // namespace kinetic::inline v0
