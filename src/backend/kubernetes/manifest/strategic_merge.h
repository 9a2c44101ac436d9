#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

namespace kinetic::backend {

/// A pod template with more fields of a pod, as the API server merges a strategic patch: maps
/// member by member, null removes a member, and the lists that have one by their merge keys
/// (containers and volumes by name, mounts by path, …); other lists are replaced. `$patch: delete`
/// removes an item of a list, `$patch: replace` puts a map or list in the place of the old one,
/// `$retainKeys` names the members that stay.
///
/// Other than there, new items come after the old ones, so that the first container stays the
/// first, and tolerations are added to those there are (`$patch: delete` removes those with the
/// same key): whoever adds one does not mean to lose those of the accelerator.
///
/// @errors  kInvalidArgument: an item without its key, another kind of value than is there, an
///          unknown directive; the detail "key" says where: "spec.containers[1]".
/// @source
/// https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
Result<Value> StrategicMerge(const Value& pod_template, const Value& patch);

/// The member by which items of the list `field` are merged; empty: the list is replaced.
std::string_view MergeKey(std::string_view field);

}  // namespace kinetic::backend
