#include "provision/shutdown/grant.h"

#include "provision/shutdown/objects.h"

#include <string>
#include <utility>

namespace kinetic::provision {
namespace {

std::string StartsWith(const std::string& name) {
  return "resource.name.startsWith(\"" + name + "\")";
}

/// A prefix alone would include clusters with longer names.
std::string IsOrIsIn(const std::string& name) {
  return "resource.name == \"" + name + "\" || " + StartsWith(name + "/");
}

}  // namespace

AccessSpec ShutdownDeletes(const Scope& scope) {
  const std::string operations = " || " + StartsWith(scope.ZonePath() + "/operations/");
  const Grant grant{.role = "roles/container.clusterAdmin",
                    .member = scope.Principal(kShutdownNamespace, ShutdownAccount(scope.name)),
                    .only_if = IsOrIsIn(scope.ClusterPath()) + operations,
                    .description = "cluster " + scope.name};
  AccessSpec access{.name = "shutdown: delete the cluster",
                    .target = ProjectPolicy(scope.project),
                    .grants = {grant},
                    .needs = {"shutdown"}};
  // Earlier versions used one account for all clusters, and the first version a condition with only
  // the prefix. Their CronJob needs this grant until it is replaced.
  Grant earlier = grant;
  earlier.member = scope.Principal(kShutdownNamespace, kShutdownObjects);
  if (earlier.member != grant.member) access.earlier.push_back(earlier);
  earlier.only_if = StartsWith(scope.ClusterPath()) + operations;
  access.earlier.push_back(std::move(earlier));
  return access;
}

}  // namespace kinetic::provision
