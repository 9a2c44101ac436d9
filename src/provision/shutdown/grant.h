#pragma once

#include "provision/resources/access.h"
#include "provision/scope.h"

namespace kinetic::provision {

/// Returns the role with which the CronJob deletes the cluster. Its condition limits it to this
/// cluster, and to the operations of its zone, whose progress the pod reads. Google does not document
/// the names of zonal clusters in conditions, and its audit log has `zones` where its API has
/// `locations`, so the condition has both.
///
/// @source  https://cloud.google.com/iam/docs/conditions-resource-attributes
AccessSpec ShutdownDeletes(const Scope& scope);

/// Returns all grants to remove, including the role without a condition that a hint of `kinetic up`
/// suggests if the condition does not hold.
AccessSpec ShutdownRemoval(const Scope& scope);

}  // namespace kinetic::provision
