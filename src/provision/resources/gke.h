#pragma once

#include "kinetic/value.h"

#include "provision/resources/api_resource.h"
#include "provision/scope.h"

#include <functional>
#include <string>
#include <string_view>

namespace kinetic::provision {

/// Returns a function that maps the name of a GKE operation to its path.
std::function<std::string(const std::string& operation)> GkeOperationPath(const Scope& scope);

/// Sets readiness and problem from the `status` of a cluster or node pool.
///
/// @source  https://cloud.google.com/kubernetes-engine/docs/reference/rest/v1/projects.locations.clusters#Cluster.Status
void SetReadiness(const Value& existing, Comparison& comparison);

/// Returns whether a member of an object is true.
bool HasFlag(const Value& object, std::string_view key);

/// Returns the node settings that the default pool and the accelerator pools share.
Value::Map CommonNodeConfig(const Scope& scope, const std::string& machine_type);

}  // namespace kinetic::provision
