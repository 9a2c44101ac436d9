#pragma once

#include "kinetic/plan_step.h"

#include "provision/scope.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::provision {

/// Returns the roles that the caller would need to apply the steps of a plan and does not have:
/// "roles/storage.admin". Empty if that cannot be found out, such as before the API is enabled.
///
/// @param  steps  empty: those of a new cluster.
/// @source  https://cloud.google.com/resource-manager/reference/rest/v3/projects/testIamPermissions
std::vector<std::string> FindMissingRoles(const Scope& scope, const std::vector<PlanStep>& steps,
                                          const std::stop_token& stop);

}  // namespace kinetic::provision
