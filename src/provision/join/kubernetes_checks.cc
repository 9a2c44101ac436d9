#include "provision/join/kubernetes_checks.h"

#include "kube/object.h"
#include "kube/resource.h"
#include "provision/cluster_access.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>
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
  CheckPermissions(cluster->client(), scope, state.permissions, stop);
  return state;
}

}  // namespace kinetic::provision
