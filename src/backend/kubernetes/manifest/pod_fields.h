#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <string>
#include <vector>

namespace kinetic::backend {

/// What is wrong with one place under `pod` in a job file.
struct PodFieldProblem {
  std::string key;  ///< as JobSpec::positions has it: "pod.spec.containers[0].command"
  std::string reason;
};

/// A pod template with a job file's pod fields merged into it, and what of them cannot be merged or
/// changes what is kinetic's: the collector but for its resources, how the launcher is started, the
/// volumes and variables that both need, labels, and how the pod ends.
struct PodFields {
  Value merged;
  std::vector<PodFieldProblem> problems;
};

/// @param pod  null: none.
PodFields MergePodFields(const Value& plain, const Value& pod);

/// @errors  kInvalidArgument: the problems, one on each line.
Result<Value> WithPodFields(const Value& plain, const Value& pod);

/// The way to a value within a pod template: names of members, and for items of lists that are
/// merged by a key the value of that key, {"spec", "containers", "main", "image"}.
using PodPath = std::vector<std::string>;

/// What is there; null: nothing.
const Value* FindAt(const Value& pod_template, const PodPath& path);

/// The nearest place to `path` in the job file's pod fields, as positions name it:
/// "pod.spec.containers[0].image".
std::string PlaceIn(const Value& pod, const PodPath& path);

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
