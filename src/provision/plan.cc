#include "provision/plan.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "google/advice.h"
#include "google/api/services.h"
#include "google/error.h"
#include "http/retry.h"
#include "provision/cluster_access.h"
#include "provision/location.h"
#include "provision/missing_roles.h"
#include "provision/pool_specs.h"
#include "provision/profile.h"
#include "provision/quota.h"
#include "provision/resources/all.h"
#include "provision/tasks.h"
#include "provision/user.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace kinetic::inline v0 {
namespace {

using provision::Resource;
using State = ClusterPlan::State;

constexpr std::size_t kThreads = 8;
/// Google documents up to two minutes, for grants up to seven.
constexpr http::RetryPolicy kPropagation{.base = std::chrono::milliseconds{1'000},
                                         .cap = std::chrono::milliseconds{10'000},
                                         .budget = std::chrono::minutes{8}};

/// A failure that passes when an earlier step has become visible everywhere.
struct Propagation {
  std::string_view words;
  std::string_view reason;
};
constexpr std::array<Propagation, 4> kPropagations{{
    {"has not been used in project", "until the API is enabled everywhere"},
    {"ervice account", "until the service account is visible"},
    {"the cluster cannot delete itself", "until the role of its pod is effective"},
    {"Identity Pool does not exist", "until the workload identity pool exists"},
}};

/// Google grants the roles of its own service accounts some minutes after their API is enabled. The
/// permissions of the caller are those of the API itself.
bool LacksServiceAgent(const State& state, const Error& error) {
  return google::DetailOf(error, "reason") == "IAM_PERMISSION_DENIED" &&
         error.message.find("\"container.") == std::string::npos &&
         std::ranges::any_of(state.steps, [](const PlanStep& step) {
           return step.kind == provision::kApisKind && step.action != PlanAction::kKeep;
         });
}

/// Returns whether the plan creates the service account, and a role in the project lets the caller
/// use it. The role applies to a new account only after some time.
bool MayActAsNewAccount(const State& state, const std::stop_token& stop) {
  const auto account = std::ranges::find(state.steps, provision::kAccountKind, &PlanStep::kind);
  return account != state.steps.end() && account->action == PlanAction::kCreate &&
         provision::FindMissingRoles(state.scope, {*account}, stop).empty();
}

/// Returns what a failed step waits for, or "" if the failure is permanent.
std::string_view WaitsFor(const State& state, const PlanStep& step, const Error& error,
                          const std::stop_token& stop) {
  if (state.api->IsApiDisabled(error)) return "until the API is enabled everywhere";
  if (step.kind == "cluster" && LacksServiceAgent(state, error))
    return "until the service account of GKE has its roles";
  if (google::MustActAs(error.message))
    return MayActAsNewAccount(state, stop) ? "until you can use the service account" : "";
  const bool absent = error.message.find("does not exist") != std::string::npos ||
                      error.message.find("not found") != std::string::npos ||
                      error.code == ErrorCode::kPermissionDenied;
  const auto* const row = std::ranges::find_if(kPropagations, [&](const Propagation& propagation) {
    return error.message.find(propagation.words) != std::string::npos;
  });
  return absent && row != kPropagations.end() ? row->reason : "";
}

/// Checks the zone as soon as that is possible, before anything is created in it.
Status CheckZoneNow(const State& state, const std::stop_token& stop) {
  const std::vector zones = state.zones.empty() ? std::vector{state.scope.zone} : state.zones;
  std::vector<std::string> ignored;
  KINETIC_ASSIGN_OR_RETURN(
      const std::string fitting,
      provision::FirstFittingZone(*state.api, state.spec, zones, "choose one with --location",
                                  ignored, stop));
  if (fitting == state.scope.zone) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              "zone " + state.scope.zone + " was chosen before it could be checked, but " +
                  fitting + " is better: it has the machine types and the quota",
              "run the same command again");
}

/// Repeats an action until Google's earlier changes are visible to it.
Status AwaitPropagation(const State& state, const PlanStep& step,
                        const std::function<Status()>& action, PlanObserver& observer,
                        const std::stop_token& stop) {
  http::Backoff backoff(kPropagation, state.api->clock());
  for (;;) {
    Status done = action();
    const std::string_view reason = done ? "" : WaitsFor(state, step, done.error(), stop);
    if (reason.empty()) return done;
    observer.OnStepWaiting(step, reason);
    KINETIC_RETURN_IF_ERROR(backoff.Wait(done.error(), std::nullopt, stop));
  }
}

Status RunStep(const State& state, const PlanStep& step, std::size_t index, PlanObserver& observer,
               const std::stop_token& stop) {
  if (step.action == PlanAction::kKeep) return {};
  Resource& resource = *state.resources[index];
  observer.OnStepStarted(step);
  Status done = AwaitPropagation(
      state, step, [&] { return state.removes ? resource.Remove(stop) : resource.Converge(stop); },
      observer, stop);
  if (!done) done = Failure(std::move(done).error().Context(step.kind + " " + step.name));
  observer.OnStepFinished(step, done);
  if (!done && done.error().code == ErrorCode::kPermissionDenied && resource.IsOptional())
    return {};
  if (!done || !state.is_zone_unchecked || step.kind != provision::kApisKind) return done;
  return AwaitPropagation(state, step, [&] { return CheckZoneNow(state, stop); }, observer, stop);
}

bool Needs(const Resource& resource, const Resource& other) {
  const auto needs = resource.Needs();
  return std::ranges::find(needs, other.Key()) != needs.end();
}

/// A resource is created after those that it needs, and removed before them.
std::vector<std::size_t> After(const State& state, std::size_t index) {
  std::vector<std::size_t> after;
  for (std::size_t other = 0; other < state.resources.size(); ++other) {
    const Resource& first = *state.resources[state.removes ? index : other];
    const Resource& second = *state.resources[state.removes ? other : index];
    if (Needs(second, first)) after.push_back(other);
  }
  return after;
}

Status RunSteps(const State& state, const std::vector<PlanStep>& steps, PlanObserver& observer,
                const std::stop_token& stop) {
  std::vector<provision::Task> tasks;
  tasks.reserve(steps.size());
  for (std::size_t index = 0; index < steps.size(); ++index) {
    const auto run = [&, index](const std::stop_token& each) {
      return RunStep(state, steps[index], index, observer, each);
    };
    tasks.push_back({.after = After(state, index), .run = run});
  }
  return provision::RunTasks(tasks, kThreads, stop);
}

/// Returns the steps that create what disappeared since the plan was made: a resource whose deletion
/// is in progress still looks like one to keep. All other steps keep what is there.
Result<std::vector<PlanStep>> FindMissing(const State& state, const std::stop_token& stop) {
  std::vector<PlanStep> steps(state.steps.size());
  KINETIC_RETURN_IF_ERROR(ParallelFor(
      kThreads, steps.size(), stop, [&](std::size_t index, std::stop_token each) -> Status {
        KINETIC_ASSIGN_OR_RETURN(
            steps[index],
            provision::ReadStep(*state.api, *state.resources[index], std::move(each)));
        const bool is_missing = steps[index].action == PlanAction::kCreate;
        if (!is_missing || state.resources[index]->IsOptional())
          steps[index].action = PlanAction::kKeep;
        return {};
      }));
  return steps;
}

bool CreatesCluster(const State& state) {
  return std::ranges::any_of(state.steps, [](const PlanStep& step) {
    return step.kind == "cluster" && step.action == PlanAction::kCreate;
  });
}

/// Fails if another client created the cluster in another zone at the same time, and before this
/// one. Both clients make the same choice.
Status CheckOldestCluster(const State& state, const std::stop_token& stop) {
  if (!CreatesCluster(state)) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto locations,
                           provision::FindNamedClusters(*state.api, state.spec, stop));
  if (locations.empty() || locations.front() == state.scope.zone) return {};
  return Fail(ErrorCode::kFailedPrecondition,
              "another 'kinetic up' created cluster " + state.spec.name + " in " +
                  locations.front() + " at the same time",
              "delete this one: " + provision::DownCommand(state.spec, state.scope.zone));
}

/// Checks with a second kind of request that a cluster is gone, because it costs most.
Status CheckClusterRemoved(const State& state, const std::stop_token& stop) {
  if (std::ranges::none_of(state.steps,
                           [](const PlanStep& step) { return step.kind == "cluster"; }))
    return {};
  KINETIC_ASSIGN_OR_RETURN(const auto locations,
                           provision::FindNamedClusters(*state.api, state.spec, stop));
  if (std::ranges::find(locations, state.scope.zone) == locations.end()) return {};
  return Fail(ErrorCode::kUnavailable,
              "cluster " + state.spec.name + " in " + state.scope.zone + " still exists",
              "run the same command again");
}

}  // namespace

std::string_view Name(PlanAction action) {
  constexpr std::array<std::string_view, 5> kNames{"keep", "create", "change", "replace", "delete"};
  return kNames.at(static_cast<std::size_t>(action));
}

ClusterPlan::ClusterPlan(std::shared_ptr<State> state) : state_(std::move(state)) {}

const std::vector<PlanStep>& ClusterPlan::steps() const { return state_->steps; }

bool ClusterPlan::IsEmpty() const {
  return std::ranges::all_of(state_->steps,
                             [](const PlanStep& step) { return step.action == PlanAction::kKeep; });
}

const ClusterSpec& ClusterPlan::spec() const { return state_->spec; }
const ClusterPrice& ClusterPlan::price() const { return state_->price; }
const std::vector<QuotaNeed>& ClusterPlan::quotas() const { return state_->quotas; }
const std::vector<std::string>& ClusterPlan::warnings() const { return state_->warnings; }
bool ClusterPlan::keeps_cluster() const { return state_->keeps_cluster; }
const std::vector<std::string>& ClusterPlan::running_jobs() const { return state_->running_jobs; }

const Status& ClusterPlan::running_jobs_status() const { return state_->running_jobs_status; }

Status ClusterPlan::Apply(PlanObserver& observer, std::stop_token stop) const {
  KINETIC_RETURN_IF_ERROR(RunSteps(*state_, state_->steps, observer, stop));
  if (state_->removes) return CheckClusterRemoved(*state_, stop);
  if (IsEmpty()) return {};
  KINETIC_ASSIGN_OR_RETURN(const auto missing, FindMissing(*state_, stop));
  KINETIC_RETURN_IF_ERROR(RunSteps(*state_, missing, observer, stop));
  return CheckOldestCluster(*state_, stop);
}

Profile ClusterPlan::profile() const {
  return provision::ProfileOf(state_->scope, state_->runner_image);
}

std::vector<ClusterUser> ClusterPlan::users() const {
  std::vector<ClusterUser> users;
  users.reserve(state_->spec.users.size());
  for (const std::string& email : state_->spec.users)
    users.push_back({email, provision::UserProfile(state_->scope, email, state_->runner_image)});
  return users;
}

}  // namespace kinetic::inline v0

namespace kinetic::provision {

Result<PlanStep> ReadStep(const google::ApiClient& api, Resource& resource, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const Observation observed, resource.Read(std::move(stop)));
  PlanStep step{.action = observed.action,
                .kind = resource.Kind(),
                .name = resource.Name(),
                .detail = observed.detail,
                .warnings = observed.warnings};
  if (step.action == PlanAction::kKeep) return step;
  step.expected = resource.ExpectedTime();
  step.requests = ToPlanned(api, resource.Requests());
  return step;
}

Status AddQuotas(ClusterPlan::State& state, std::vector<NodePoolSpec> pools,
                 const std::stop_token& stop) {
  if (pools.empty()) return {};
  AddOtherPools(state.existing_pools, pools);
  std::optional<NodeTimes> nodes;
  if (state.existing_pools.empty()) {
    nodes.emplace();  // there is no cluster yet
  } else {
    KINETIC_ASSIGN_OR_RETURN(nodes, FindNodes(state.scope, state.options, stop));
    if (!nodes)
      state.warnings.emplace_back(
          "the available quota is unknown, because the nodes of the cluster, which may use some of "
          "it, cannot be listed");
  }
  ClusterSpec spec;
  spec.project = state.spec.project;
  spec.location = state.scope.zone;
  spec.pools = std::move(pools);
  state.quotas = FindQuotas(*state.api, spec, nodes, stop);
  for (const QuotaNeed& need : state.quotas) {
    if (HasEnough(need)) continue;
    const bool is_empty = need.available && *need.available <= 0;
    state.warnings.push_back(
        "quota " + need.name + " in " + need.region +
        (is_empty ? " is used up, so no further node can start" : " is too small for all nodes") +
        "; request more: "
        "https://console.cloud.google.com/iam-admin/quotas?project=" +
        spec.project);
  }
  return {};
}

std::vector<PlannedRequest> ToPlanned(const google::ApiClient& api,
                                      const std::vector<google::ApiRequest>& requests) {
  std::vector<PlannedRequest> planned;
  planned.reserve(requests.size());
  for (const google::ApiRequest& request : requests) {
    planned.push_back({request.method, api.UrlOf(request), request.body});
  }
  return planned;
}

}  // namespace kinetic::provision
