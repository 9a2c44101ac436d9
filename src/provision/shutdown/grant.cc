#include "provision/shutdown/grant.h"

#include "provision/shutdown/objects.h"

#include <string>
#include <utility>

namespace kinetic::provision {
namespace {

std::string StartsWith(const std::string& name) {
  return "resource.name.startsWith(\"" + name + "\")";
}

/// Returns a condition for a cluster and the operations of its zone. A prefix alone would include
/// clusters with longer names.
std::string IsIn(const std::string& zone_path, const std::string& cluster) {
  const std::string name = zone_path + "/clusters/" + cluster;
  return "resource.name == \"" + name + "\" || " + StartsWith(name + "/") + " || " +
         StartsWith(zone_path + "/operations/");
}

}  // namespace

AccessSpec ShutdownDeletes(const Scope& scope) {
  const std::string condition = IsIn(scope.ZonePath(), scope.name);
  const std::string by_zone = IsIn(scope.ProjectPath() + "/zones/" + scope.zone, scope.name);
  Grant grant{.role = "roles/container.clusterAdmin",
              .member = scope.Principal(kShutdownNamespace, ShutdownAccount(scope.name)),
              .only_if = condition + " || " + by_zone,
              .description = "cluster " + scope.name};
  AccessSpec access{.name = "shutdown: delete the cluster",
                    .target = ProjectPolicy(scope.project),
                    .grants = {grant},
                    .needs = {}};
  // Earlier versions had only the first spelling, before that one account for all clusters, and at
  // first a condition with only the prefix. Their CronJob needs this grant until it is replaced.
  grant.only_if = condition;
  access.earlier.push_back(grant);
  const std::string member =
      std::exchange(grant.member, scope.Principal(kShutdownNamespace, kShutdownObjects));
  if (member != grant.member) access.earlier.push_back(grant);
  grant.only_if =
      StartsWith(scope.ClusterPath()) + " || " + StartsWith(scope.ZonePath() + "/operations/");
  access.earlier.push_back(std::move(grant));
  return access;
}

AccessSpec ShutdownRemoval(const Scope& scope) {
  AccessSpec access = ShutdownDeletes(scope);
  Grant grant = access.grants.front();
  grant.only_if.clear();
  access.earlier.push_back(std::move(grant));
  return access;
}

}  // namespace kinetic::provision
