#include "provision/shutdown/grant.h"

#include "provision/shutdown/objects.h"

#include <string>

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
  return {.name = "shutdown: delete the cluster",
          .target = ProjectPolicy(scope.project),
          .grants = {{.role = "roles/container.clusterAdmin",
                      .member = scope.Principal(kShutdownNamespace, kShutdownObjects),
                      .only_if = IsOrIsIn(scope.ClusterPath()) + " || " +
                                 StartsWith(scope.ZonePath() + "/operations/"),
                      .description = "cluster " + scope.name}},
          .needs = {"cluster"}};
}

}  // namespace kinetic::provision
