#include "provision/shutdown/resource.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "kube/object.h"
#include "provision/cluster_access.h"
#include "provision/resources/access.h"
#include "provision/shutdown/grant.h"
#include "provision/shutdown/objects.h"
#include "provision/shutdown/policy.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

using std::chrono::seconds;

std::string Describe(std::optional<seconds> ttl, std::optional<seconds> idle_time) {
  std::string text;
  if (ttl) text = ttl->count() == 0 ? "no time limit" : "in " + FormatDuration(*ttl);
  if (!idle_time) return text;
  if (!text.empty()) text += "; ";
  return text + (idle_time->count() == 0 ? "not when idle"
                                         : "after " + FormatDuration(*idle_time) + " without jobs");
}

/// Objects in the cluster. They are deleted with it.
class Shutdown final : public Resource {
 public:
  explicit Shutdown(const ClusterPlan::State& state)
      : state_(&state), grant_(MakeAccess(*state.api, ShutdownDeletes(state.scope))) {}

  std::string Kind() const override { return "shutdown"; }
  std::string Name() const override { return std::string(kShutdownObjects); }
  std::vector<std::string> Needs() const override { return {"cluster", "runner image"}; }

  Result<Observation> Read(std::stop_token stop) override {
    const ClusterSpec& spec = state_->spec;
    Observation observation{PlanAction::kCreate, Describe(spec.ttl, spec.down_when_idle)};
    if (observation.detail.empty())
      observation.detail = "as service account " + ShutdownAccount(state_->scope.name);
    const auto cluster = ClusterAccess::Open(state_->scope, state_->options, stop);
    // There is no cluster yet, or it is still being created.
    if (!cluster) return observation;
    KINETIC_ASSIGN_OR_RETURN(
        const auto cron_job,
        cluster->client().Get(kube::kCronJobs, kShutdownNamespace, kShutdownObjects, stop));
    std::optional<ShutdownPolicy> existing;
    if (cron_job) {
      KINETIC_ASSIGN_OR_RETURN(existing, PolicyOf(*cron_job));
    }
    const ShutdownPolicy wanted = Merge(existing);
    // A policy without limits remains after an interrupted removal, which is then continued.
    bool is_same = (!existing || existing->IsActive()) &&
                   spec.ttl.value_or(seconds{0}).count() == 0 &&
                   wanted == existing.value_or(NewPolicy());
    // A CronJob of an earlier version has no result of a check.
    if (is_same && wanted.IsActive()) {
      KINETIC_ASSIGN_OR_RETURN(const Observation granted, grant_->Read(std::move(stop)));
      is_same = granted.action == PlanAction::kKeep && CheckOf(*cron_job);
    }
    if (is_same) {
      observation.action = PlanAction::kKeep;
    } else if (existing) {
      observation.action = PlanAction::kChange;
    }
    return observation;
  }

  /// Other requests go to the cluster, not to an API of Google.
  std::vector<google::ApiRequest> Requests() const override { return grant_->Requests(); }

  Status Converge(std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(const ClusterAccess cluster,
                             ClusterAccess::Open(state_->scope, state_->options, stop));
    KINETIC_ASSIGN_OR_RETURN(const auto existing, FindShutdownPolicy(cluster, stop));
    const ShutdownPolicy policy = Merge(existing);
    if (!policy.IsActive()) {
      if (existing) KINETIC_RETURN_IF_ERROR(Deactivate(cluster.client(), policy, stop));
      return RemoveFrom(cluster, stop);
    }
    for (const ClusterObject& one : ShutdownObjects(policy, state_->runner_image)) {
      KINETIC_RETURN_IF_ERROR(Apply(cluster.client(), one, stop));
    }
    KINETIC_RETURN_IF_ERROR(cluster.client().Patch(
        kube::kCronJobs, kShutdownNamespace, kShutdownObjects,
        AnnotationPatch(kLastUseAnnotation, FormatTime(SystemClock().Now())), stop));
    KINETIC_RETURN_IF_ERROR(grant_->Converge(stop));
    return Check(cluster.client(), stop);
  }

  Result<bool> IsOurs(std::stop_token /*stop*/) override { return false; }
  Status Remove(std::stop_token /*stop*/) override { return {}; }

 private:
  ShutdownPolicy NewPolicy() const {
    return {.project = state_->scope.project,
            .zone = state_->scope.zone,
            .cluster = state_->scope.name,
            .deadline = {},
            .idle_time = {},
            .api_endpoint = state_->options.cloud.api_endpoint};
  }

  ShutdownPolicy Merge(const std::optional<ShutdownPolicy>& existing) const {
    ShutdownPolicy policy = existing.value_or(NewPolicy());
    policy.api_endpoint = state_->options.cloud.api_endpoint;
    if (const auto ttl = state_->spec.ttl) {
      policy.deadline.reset();
      if (ttl->count() > 0) policy.deadline = SystemClock().Now() + *ttl;
    }
    if (const auto idle_time = state_->spec.down_when_idle) {
      policy.idle_time = idle_time->count() > 0 ? idle_time : std::nullopt;
    }
    return policy;
  }

  /// Stores a policy without limits, so that the cluster is not deleted if the removal is interrupted.
  Status Deactivate(const kube::Client& client, const ShutdownPolicy& policy,
                    const std::stop_token& stop) const {
    for (const ClusterObject& one : ShutdownObjects(policy, state_->runner_image)) {
      if (one.resource.plural != kube::kCronJobs.plural) continue;
      KINETIC_RETURN_IF_ERROR(
          client.Patch(one.resource, one.name_space, kShutdownObjects, one.object, stop));
    }
    return {};
  }

  /// The namespace is last: with the policy in it, an interrupted removal is continued.
  Status RemoveFrom(const ClusterAccess& cluster, const std::stop_token& stop) const {
    KINETIC_RETURN_IF_ERROR(MakeAccess(*state_->api, ShutdownRemoval(state_->scope))->Remove(stop));
    for (const kube::Resource& kind : {kube::kClusterRoleBindings, kube::kClusterRoles})
      KINETIC_RETURN_IF_ERROR(cluster.client().Delete(kind, "", kShutdownObjects, {}, stop));
    return DeleteNamespace(cluster, kShutdownNamespace, stop);
  }

  /// Runs a pod of the CronJob now: only it can prove that its grant is effective.
  Status Check(const kube::Client& client, const std::stop_token& stop) const {
    constexpr std::chrono::minutes kPodTime{5};
    constexpr std::chrono::seconds kPause{1};
    KINETIC_ASSIGN_OR_RETURN(auto cron_job,
                             client.Patch(kube::kCronJobs, kShutdownNamespace, kShutdownObjects,
                                          AnnotationPatch(kCheckAnnotation, Value()), stop));
    const std::string name =
        std::string(kShutdownObjects) + "-" + std::to_string(ToMicros(SystemClock().Now()));
    KINETIC_RETURN_IF_ERROR(client.Create(kube::kJobs, kShutdownNamespace,
                                          CheckJob(cron_job.value_or(Value()), name), stop));
    const SteadyTime end = SystemClock().Steady() + kPodTime;
    for (;;) {
      KINETIC_ASSIGN_OR_RETURN(const auto job,
                               client.Get(kube::kJobs, kShutdownNamespace, name, stop));
      if (!job || HasEnded(*job) || SystemClock().Steady() > end) break;
      KINETIC_RETURN_IF_ERROR(SystemClock().Sleep(kPause, stop));
    }
    KINETIC_ASSIGN_OR_RETURN(
        cron_job, client.Get(kube::kCronJobs, kShutdownNamespace, kShutdownObjects, stop));
    Status checked = CheckOf(cron_job.value_or(Value()));
    if (!checked && checked.error().code == ErrorCode::kPermissionDenied)
      checked.error().hint = UnconditionalGrantHint();
    return checked;
  }

  std::string UnconditionalGrantHint() const {
    const Grant grant = ShutdownDeletes(state_->scope).grants.front();
    return "the condition of its role may not hold; a role without one also permits the deletion "
           "of "
           "other clusters in the project: gcloud projects add-iam-policy-binding " +
           state_->scope.project + " --condition=None --role=" + grant.role +
           " --member=" + grant.member;
  }

  static Status Apply(const kube::Client& client, const ClusterObject& one,
                      const std::stop_token& stop) {
    KINETIC_ASSIGN_OR_RETURN(const auto created,
                             client.Create(one.resource, one.name_space, one.object, stop));
    if (!created.existed) return {};
    KINETIC_RETURN_IF_ERROR(
        client.Patch(one.resource, one.name_space, kube::NameOf(one.object), one.object, stop));
    return {};
  }

  const ClusterPlan::State* state_;
  std::unique_ptr<Resource> grant_;
};

}  // namespace

std::unique_ptr<Resource> MakeShutdown(const ClusterPlan::State& state) {
  return std::make_unique<Shutdown>(state);
}

}  // namespace kinetic::provision
