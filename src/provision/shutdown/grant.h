#pragma once

#include "provision/resources/access.h"
#include "provision/scope.h"

namespace kinetic::provision {

/// Returns the role with which the CronJob deletes the cluster. Its condition limits it to this
/// cluster, and to the operations of its zone, whose progress the pod reads.
///
/// @source  https://cloud.google.com/iam/docs/conditions-resource-attributes
AccessSpec ShutdownDeletes(const Scope& scope);

}  // namespace kinetic::provision
