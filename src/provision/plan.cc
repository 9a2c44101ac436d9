#include "provision/plan.h"

#include "kinetic/try.h"

#include "base/time/clock.h"
#include "http/retry.h"
#include "provision/location.h"
#include "provision/profile.h"
#include "provision/quota.h"
#include "provision/resources/all.h"
#include "provision/tasks.h"
#include "provision/user.h"

#include <algorithm>
#include <array>
#include <chrono>
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
    {"SERVICE_DISABLED", "until the API is enabled everywhere"},
    {"has not been used in project", "until the API is enabled everywhere"},
    {"ervice account", "until the service account is visible"},
    {"Identity Pool does not exist", "until the workload identity pool exists"},
}};

/// Returns what a failed step waits for, or "" if the failure is permanent.
std::string_view WaitsFor(const Error& error) {
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
  if (state.removes || !state.is_zone_unchecked) return {};
  KINETIC_RETURN_IF_ERROR(
      provision::FirstFittingZone(*state.api, state.spec, {state.scope.zone}, stop));
  return {};
}

Status PerformStep(const State& state, std::size_t index, PlanObserver& observer,
                   std::stop_token stop) {
  Resource& resource = *state.resources[index];
  http::Backoff backoff(kPropagation, SystemClock());
  for (;;) {
    Status done = state.removes ? resource.Remove(stop) : resource.Converge(stop);
    if (done && resource.Kind() == provision::kApisKind) done = CheckZoneNow(state, stop);
    const std::string_view reason = done ? "" : WaitsFor(done.error());
    if (reason.empty()) return done;
    observer.OnStepWaiting(state.steps[index], reason);
    KINETIC_RETURN_IF_ERROR(backoff.Wait(done.error(), std::nullopt, stop));
  }
}

Status RunStep(const State& state, std::size_t index, PlanObserver& observer,
               std::stop_token stop) {
  const PlanStep& step = state.steps[index];
  if (step.action == PlanAction::kKeep) return {};
  observer.OnStepStarted(step);
  Status done = PerformStep(state, index, observer, std::move(stop));
  if (!done) done = Failure(std::move(done).error().Context(step.kind + " " + step.name));
  observer.OnStepFinished(step, done);
  return done;
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
const std::vector<std::string>& ClusterPlan::running_jobs() const { return state_->running_jobs; }

const Status& ClusterPlan::running_jobs_status() const { return state_->running_jobs_status; }

Status ClusterPlan::Apply(PlanObserver& observer, std::stop_token stop) const {
  std::vector<provision::Task> tasks;
  tasks.reserve(state_->resources.size());
  for (std::size_t index = 0; index < state_->resources.size(); ++index) {
    tasks.push_back(
        {.after = After(*state_, index), .run = [this, index, &observer](std::stop_token each) {
           return RunStep(*state_, index, observer, std::move(each));
         }});
  }
  return provision::RunTasks(tasks, kThreads, std::move(stop));
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
                .warnings = observed.warnings,
                .has_failed = observed.has_failed};
  if (step.action == PlanAction::kKeep) return step;
  step.expected = resource.ExpectedTime();
  step.requests = ToPlanned(api, resource.Requests());
  return step;
}

void AddQuotas(ClusterPlan::State& state, const ClusterSpec& spec, const std::stop_token& stop) {
  state.quotas = FindQuotas(*state.api, spec, stop);
  for (const QuotaNeed& need : state.quotas) {
    if (HasEnough(need)) continue;
    state.warnings.push_back("quota " + need.name + " in " + need.region +
                             " is too small for all nodes; request more: "
                             "https://console.cloud.google.com/iam-admin/quotas?project=" +
                             spec.project);
  }
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
