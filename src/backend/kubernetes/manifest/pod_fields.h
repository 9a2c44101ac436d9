#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <string>
#include <vector>

namespace kinetic::backend {

/// A problem with a field under `pod` in a job file.
struct PodFieldProblem {
  std::string key;  ///< as in JobSpec::positions: "pod.spec.containers[0].command"
  std::string reason;
};

/// A pod template with a job file's pod fields merged into it, and the problems: fields that cannot
/// be merged, or that change what belongs to kinetic. This is the collector except for its
/// resources, the command of the launcher, shared volumes and variables, labels, and how the pod
/// ends.
struct PodFields {
  Value merged;
  std::vector<PodFieldProblem> problems;
};

/// Merges `pod` into `plain`. @param pod  may be null.
PodFields MergePodFields(const Value& plain, const Value& pod);

/// Same as MergePodFields. @errors  kInvalidArgument: the problems, one per line.
Result<Value> WithPodFields(const Value& plain, const Value& pod);

/// A path to a value in a pod template: member names, and merge-key values of list items, such as
/// {"spec", "containers", "main", "image"}.
using PodPath = std::vector<std::string>;

/// Returns the value at `path`, or null.
const Value* FindAt(const Value& pod_template, const PodPath& path);

/// Returns the location closest to `path` in the job file's pod fields, as in JobSpec::positions:
/// "pod.spec.containers[0].image".
std::string PlaceIn(const Value& pod, const PodPath& path);

/// Merges fields into a pod template like a strategic merge patch of the API server: maps by
/// member, and lists with a merge key by that key (containers and volumes by name, mounts by path,
/// …). Null removes a member. Other lists are replaced. `$patch: delete` removes a list item,
/// `$patch: replace` replaces a map or list, and `$retainKeys` lists the members to keep.
///
/// Unlike the API server, appends new items, so that the first container stays the first.
/// Tolerations are added to the existing ones, so that those of the accelerator are kept. `$patch:
/// delete` removes all tolerations with the same key.
///
/// @errors  kInvalidArgument: an item without its key, a value of another type, or an unknown
///          directive. The detail "key" is its path: "spec.containers[1]".
/// @source
/// https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
Result<Value> StrategicMerge(const Value& pod_template, const Value& patch);

/// Returns the merge key of the list `field`, or an empty string if the list is replaced.
std::string_view MergeKey(std::string_view field);

}  // namespace kinetic::backend
