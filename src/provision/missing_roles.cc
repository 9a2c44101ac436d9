#include "provision/missing_roles.h"

#include "google/api/services.h"
#include "http/url.h"
#include "json/document.h"
#include "provision/resources/all.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

namespace kinetic::provision {
namespace {

/// The permission for one kind of step, and a role that includes it.
struct StepPermission {
  std::string_view kind;
  std::string_view permission;
  std::string_view role;
};

constexpr std::array<StepPermission, 9> kPermissions{{
    {kApisKind, "serviceusage.services.enable", "roles/serviceusage.serviceUsageAdmin"},
    {kAccountKind, "iam.serviceAccounts.create", "roles/iam.serviceAccountAdmin"},
    // The creation of a node pool with a new service account.
    {kAccountKind, "iam.serviceAccounts.actAs", "roles/iam.serviceAccountUser"},
    {"bucket", "storage.buckets.create", "roles/storage.admin"},
    {"repository", "artifactregistry.repositories.create", "roles/artifactregistry.admin"},
    {kRouterKind, "compute.routers.create", "roles/compute.networkAdmin"},
    {"cluster", "container.clusters.create", "roles/container.admin"},
    // The nodes' service account gets a role in the project.
    {"cluster", "resourcemanager.projects.setIamPolicy", "roles/resourcemanager.projectIamAdmin"},
    {"node pool", "container.clusters.update", "roles/container.admin"},
}};

/// Without steps, all but the router may be needed: few clusters have one.
bool IsNeeded(const StepPermission& row, const std::vector<PlanStep>& steps) {
  return (steps.empty() && row.kind != kRouterKind) ||
         std::ranges::any_of(steps, [&](const PlanStep& step) {
           return step.kind == row.kind &&
                  (step.action == PlanAction::kCreate || step.action == PlanAction::kReplace);
         });
}

}  // namespace

std::vector<std::string> FindMissingRoles(const Scope& scope, const std::vector<PlanStep>& steps,
                                          const std::stop_token& stop) {
  Value::List asked;
  for (const StepPermission& row : kPermissions) {
    if (IsNeeded(row, steps)) asked.emplace_back(std::string(row.permission));
  }
  if (asked.empty()) return {};
  const auto answer = scope.api->Send(
      {.method = "POST",
       .service = std::string(google::kResourceManager),
       .path = "/v3/projects/" + http::PercentEncode(scope.project) + ":testIamPermissions",
       .body = Value::Map{{"permissions", asked}}},
      stop);
  if (!answer) return {};
  json::ObjectReader reader(*answer, "permissions");
  const Value::List& granted = reader.List("permissions");
  std::set<std::string> roles;
  for (const StepPermission& row : kPermissions) {
    const Value permission{std::string(row.permission)};
    if (std::ranges::find(asked, permission) != asked.end() &&
        std::ranges::find(granted, permission) == granted.end())
      roles.emplace(row.role);
  }
  return {roles.begin(), roles.end()};
}

}  // namespace kinetic::provision
