#pragma once

#include "kinetic/value.h"

#include <string>
#include <vector>

namespace kinetic::backend {

/// The way to a value within a pod template: names of members, and for items of lists that are
/// merged by a key the value of that key, {"spec", "containers", "main", "image"}.
using PodPath = std::vector<std::string>;

/// What is there; null: nothing.
const Value* FindAt(const Value& pod_template, const PodPath& path);

/// The nearest place to `path` in the job file's pod fields, as positions name it:
/// "pod.spec.containers[0].image".
std::string PlaceIn(const Value& pod, const PodPath& path);

}  // namespace kinetic::backend
