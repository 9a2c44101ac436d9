#include "kinetic/cluster.h"
#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/strings.h"
#include "google/api/services.h"
#include "jobspec/accelerator/price.h"
#include "json/document.h"
#include "provision/cluster_access.h"
#include "provision/cost_estimate.h"
#include "provision/location.h"
#include "provision/missing_roles.h"
#include "provision/plan.h"
#include "provision/pool_sizes.h"
#include "provision/pool_status.h"
#include "provision/problems.h"
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
#include <vector>

namespace kinetic::inline v0 {
namespace {

using State = ClusterPlan::State;

constexpr std::size_t kConcurrentReads = 8;

/// Returns whether the user can correct the cause of a failed read. Other errors would fail all
/// reads.
bool IsProblem(const Error& error) {
  return error.code == ErrorCode::kPermissionDenied ||
         error.code == ErrorCode::kFailedPrecondition || error.code == ErrorCode::kAlreadyExists ||
         error.code == ErrorCode::kInvalidArgument;
}

/// Compares the resources with what exists. Returns the problems of all of them.
Result<std::vector<Error>> ReadAll(State& state, std::stop_token stop) {
  state.steps.resize(state.resources.size());
  std::vector<std::optional<Error>> problems(state.resources.size());
  KINETIC_RETURN_IF_ERROR(ParallelFor(kConcurrentReads, state.resources.size(), std::move(stop),
                                      [&](std::size_t index, std::stop_token each) -> Status {
                                        auto step = provision::ReadStep(
                                            *state.api, *state.resources[index], std::move(each));
                                        if (step) {
                                          state.steps[index] = *std::move(step);
                                        } else if (IsProblem(step.error())) {
                                          problems[index] = std::move(step).error();
                                        } else {
                                          return Failure(std::move(step).error());
                                        }
                                        return {};
                                      }));
  std::vector<Error> found;
  for (auto& problem : problems)
    if (problem) found.push_back(*std::move(problem));
  return found;
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
  price.busy = price.idle;
  for (const NodePoolSpec& pool : state.spec.pools) {
    const auto node = provision::NodePriceOf(pool, state.scope.Region(), state.options.prices);
    const double nodes = std::max(pool.max_nodes, pool.accelerator.hosts);
    price.busy = node && price.busy ? std::optional(*price.busy + nodes * node->dollars_per_hour)
                                    : std::nullopt;
    if (node) provision::NoteDate(*node, price.date);
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
  const auto zone =
      provision::FirstFittingZone(*state.api, state.spec, zones, how, state.warnings, stop);
  if (!zone && !state.api->IsApiDisabled(zone.error())) return Failure(zone.error());
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
  std::vector<PlanStep> needed = state.steps;
  for (std::size_t index = 0; index < needed.size(); ++index)
    if (state.resources[index]->IsOptional()) needed[index].action = PlanAction::kKeep;
  const auto roles = provision::FindMissingRoles(state.scope, needed, stop);
  if (!roles.empty())
    state.warnings.push_back("you lack permissions in project " + state.spec.project +
                             ", so the plan will fail; ask for " + Join(roles, ", "));
}

/// Adds the missing roles of all requests to the errors of denied requests.
void AddMissingRoles(const State& state, std::vector<Error>& errors, const std::stop_token& stop) {
  const auto is_denied = [](const Error& error) {
    return error.code == ErrorCode::kPermissionDenied;
  };
  if (std::ranges::none_of(errors, is_denied)) return;
  const auto roles = provision::FindMissingRoles(state.scope, {}, stop);
  if (roles.empty()) return;
  for (Error& error : errors)
    if (is_denied(error)) error.hint = "ask for these roles in the project: " + Join(roles, ", ");
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

/// Regions that are for TPUs only lack other services. Without the API, they are not known yet.
Status CheckRepositoryRegion(const State& state, const std::stop_token& stop) {
  const bool creates = std::ranges::any_of(state.steps, [](const PlanStep& step) {
    return step.kind == "repository" && step.action == PlanAction::kCreate;
  });
  if (!creates) return {};
  const auto locations =
      state.api->List(std::string(google::kArtifactRegistry),
                      "/v1/" + state.scope.ProjectPath() + "/locations", "locations", stop);
  const std::string region = state.scope.Region();
  const auto is_region = [&](const Value& one) {
    return json::TextAt(one, "locationId") == region;
  };
  if (!locations || locations->empty() || std::ranges::any_of(*locations, is_region)) return {};
  return Fail(ErrorCode::kInvalidArgument, "Artifact Registry is not available in " + region,
              "use a zone of another region with --location");
}

/// Compares the resources with what exists.
Result<ClusterPlan> FinishPlan(std::shared_ptr<State> state, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto errors, ReadAll(*state, stop));
  AddMissingRoles(*state, errors, stop);
  provision::Problems problems;
  for (Error& error : errors) problems.Add(Failure(std::move(error)));
  problems.Add(CheckRepositoryRegion(*state, stop));
  KINETIC_RETURN_IF_ERROR(problems.Finish());
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
  KINETIC_RETURN_IF_ERROR(provision::CheckNewCluster(spec));
  auto opened = provision::OpenState(spec, options, stop);
  if (!opened) return Failure(WithAlternatives(std::move(opened).error(), spec));
  auto state = *std::move(opened);
  provision::Problems problems;
  problems.Add(SetZone(*state, "choose one with --location", stop));
  problems.Add(SetUsers(*state, stop));
  KINETIC_RETURN_IF_ERROR(problems.Finish());
  if (const auto system = provision::SystemNodePrice(state->scope.Region())) {
    state->price.idle = jobspec::kClusterFee + system->dollars_per_hour;
    provision::NoteDate(*system, state->price.date);
  }
  KINETIC_RETURN_IF_ERROR(provision::CompareSizes(*state, stop));
  KINETIC_RETURN_IF_ERROR(FindShutdown(*state, stop));
  provision::AddResources(*state);
  return FinishPlan(std::move(state), stop);
}

Result<ClusterPlan> PlanPoolAddition(const ClusterSpec& spec, const NodePoolSpec& pool,
                                     const ClusterAdminOptions& options, std::stop_token stop) {
  ClusterSpec with_pool = spec;
  with_pool.pools = {pool};
  KINETIC_RETURN_IF_ERROR(provision::CheckNewPools(with_pool.pools));
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
