#include "provision/join/kubernetes_checks.h"

#include "base/time/clock.h"
#include "kube/object.h"
#include "kube/resource.h"
#include "provision/cluster_access.h"
#include "provision/shutdown/objects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinetic::provision {
namespace {

/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/workload-identity#kubernetes-sa-to-iam
constexpr std::string_view kGoogleAccount = "iam.gke.io/gcp-service-account";
constexpr std::array<std::string_view, 3> kEndpointNames{"DNS", "public", "private"};

void MarkAs(HealthCheck& check, Health health, const Error& error) {
  check.health = health;
  check.evidence = error.message;
  check.advice = error.hint;
}

std::string CreateCommand(const Scope& scope, bool with_namespace) {
  std::string account = fmt::format("kubectl create serviceaccount {} --namespace={}",
                                    scope.JobsAccount(), scope.name_space);
  if (!with_namespace) return account;
  return fmt::format("kubectl create namespace {} && {}", scope.name_space, account);
}

/// Accounts that may not read namespaces may still use one.
bool IsNamespaceMissing(const kube::Client& client, const Scope& scope, std::stop_token stop) {
  const auto found = client.Get(kube::kNamespaces, "", scope.name_space, std::move(stop));
  return found && !*found;
}

void ReadAccount(const kube::Client& client, const Scope& scope, KubernetesState& state,
                 const std::stop_token& stop) {
  HealthCheck& check = state.account;
  const auto account =
      client.Get(kube::kServiceAccounts, scope.name_space, scope.JobsAccount(), stop);
  if (!account) return MarkAs(check, Health::kWarning, account.error());
  check.evidence = fmt::format("{} in namespace {}", scope.JobsAccount(), scope.name_space);
  if (*account) {
    state.google_account = kube::TextAt(**account, {"metadata", "annotations", kGoogleAccount});
    if (!state.google_account.empty()) check.evidence += ", as " + state.google_account;
    return;
  }
  const bool no_namespace = IsNamespaceMissing(client, scope, stop);
  state.is_account_missing = true;
  check.health = Health::kFailed;
  check.evidence = no_namespace ? fmt::format("namespace {} does not exist", scope.name_space)
                                : check.evidence + " does not exist";
  check.advice = CreateCommand(scope, no_namespace);
}

/// Returns what the caller needs to submit, follow and delete jobs.
///
/// @source  docs/reference/cluster-access.md, "Your permissions"
std::vector<kube::Permission> NeededPermissions(const std::string& name_space) {
  return {{name_space, "create", "batch", "jobs"}, {name_space, "list", "batch", "jobs"},
          {name_space, "patch", "batch", "jobs"},  {name_space, "delete", "batch", "jobs"},
          {name_space, "list", "", "pods"},        {name_space, "get", "", "pods", "log"},
          {name_space, "list", "", "events"},      {name_space, "create", "", "secrets"}};
}

std::string PermissionText(const kube::Permission& permission) {
  return fmt::format("{} {}{}", permission.verb, permission.resource,
                     permission.subresource.empty() ? "" : "/" + permission.subresource);
}

/// @source  https://cloud.google.com/kubernetes-engine/docs/how-to/iam
void CheckPermissions(const kube::Client& client, const Scope& scope, HealthCheck& check,
                      const std::stop_token& stop) {
  std::vector<std::string> lacking;
  for (const kube::Permission& permission : NeededPermissions(scope.name_space)) {
    const auto review = client.CheckPermission(permission, stop);
    if (!review) return MarkAs(check, Health::kWarning, review.error());
    if (!review->allowed) lacking.push_back(PermissionText(permission));
  }
  check.evidence = fmt::format("you can use jobs in namespace {}", scope.name_space);
  if (lacking.empty()) return;
  const auto account = client.GetUserName(stop);
  check.health = Health::kFailed;
  check.evidence =
      fmt::format("you cannot {} in namespace {}", fmt::join(lacking, ", "), scope.name_space);
  check.advice = fmt::format(
      "ask an administrator: gcloud projects add-iam-policy-binding {} "
      "--role=roles/container.developer --member=user:{}",
      scope.project, account ? *account : "ACCOUNT");
}

/// Users of a cluster may not read the CronJob.
void ReadShutdown(const ClusterAccess& cluster, KubernetesState& state, std::stop_token stop) {
  const auto cron_job = FindShutdownCronJob(cluster, std::move(stop));
  if (!cron_job || !*cron_job) return;
  HealthCheck check{.name = "automatic deletion", .evidence = "the cluster can delete itself"};
  const Status checked = CheckOf(**cron_job);
  if (!checked) MarkAs(check, Health::kFailed, checked.error());
  state.more.push_back(std::move(check));
}

/// The node for the system's pods may be too small for those of a new version of GKE.
void ReadSystemPods(const kube::Client& client, KubernetesState& state, std::stop_token stop) {
  std::vector<std::string> waiting;
  const auto add = [&](const Value& pod) -> Status {
    if (kube::TextAt(pod, {"spec", "nodeName"}).empty()) waiting.emplace_back(kube::NameOf(pod));
    return {};
  };
  const auto listed = client.List(kube::kPods, "kube-system",
                                  {.field_selector = "status.phase=Pending"}, add, std::move(stop));
  if (!listed || waiting.empty()) return;
  state.more.push_back(
      {.name = "system pods",
       .health = Health::kWarning,
       .evidence = fmt::format("no node has space for {}", fmt::join(waiting, ", ")),
       .advice = "kubectl describe pods --namespace kube-system"});
}

/// New drivers do not support old GPUs. Installing one takes minutes.
void ReadDrivers(const kube::Client& client, KubernetesState& state, std::stop_token stop) {
  constexpr std::chrono::minutes kInstallation{5};
  std::vector<std::string> lacking;
  const auto add = [&](const Value& node) -> Status {
    const auto created = ParseTime(kube::TextAt(node, {"metadata", "creationTimestamp"}));
    const std::string_view gpus = kube::TextAt(node, {"status", "allocatable", "nvidia.com/gpu"});
    const bool is_new = !created || SystemClock().Now() - *created < kInstallation;
    if (!is_new && (gpus.empty() || gpus == "0")) lacking.emplace_back(kube::NameOf(node));
    return {};
  };
  const auto listed =
      client.List(kube::kNodes, "", {.label_selector = "cloud.google.com/gke-accelerator"}, add,
                  std::move(stop));
  if (!listed || lacking.empty()) return;
  state.more.push_back({.name = "GPUs of nodes",
                        .health = Health::kWarning,
                        .evidence = fmt::format("no driver works on {}", fmt::join(lacking, ", ")),
                        .advice = "set another driver version for the node pool"});
}

}  // namespace

KubernetesState ReadKubernetes(const Scope& scope, const ClusterAdminOptions& options,
                               std::stop_token stop) {
  KubernetesState state;
  const auto cluster = ClusterAccess::OpenToRead(scope, options, stop);
  const auto version = cluster ? cluster->client().GetServerVersion(stop)
                               : Result<kube::Version>(Failure(cluster.error()));
  if (!version) {
    MarkAs(state.endpoint, Health::kFailed, version.error());
    for (HealthCheck* check : {&state.account, &state.permissions}) {
      check->health = Health::kWarning;
      check->evidence = "not checked, because the cluster cannot be reached";
    }
    return state;
  }
  state.endpoint.evidence = fmt::format("{}: Kubernetes {} responds",
                                        kEndpointNames.at(static_cast<std::size_t>(scope.endpoint)),
                                        version->git_version);
  if (auto nodes = ListNodes(*cluster, stop)) state.nodes = *std::move(nodes);
  ReadAccount(cluster->client(), scope, state, stop);
  ReadShutdown(*cluster, state, stop);
  ReadSystemPods(cluster->client(), state, stop);
  ReadDrivers(cluster->client(), state, stop);
  CheckPermissions(cluster->client(), scope, state.permissions, stop);
  return state;
}

}  // namespace kinetic::provision
