#pragma once

#include "kinetic/value.h"

#include <string>
#include <vector>

namespace kinetic::backend {

/// Returns the parts of a pod's nodeSelector and required node affinity that a node does not match,
/// for the alternative with the fewest. Empty if the node matches.
///
/// @returns  "cloud.google.com/gke-tpu-topology=2x2 (has 1x1)", "zone in (a, b)"
std::vector<std::string> UnmetSelectors(const Value& pod, const Value& node);

/// Returns the taints of a node that the pod does not tolerate: "google.com/tpu=present:NoSchedule".
std::vector<std::string> UntoleratedTaints(const Value& pod, const Value& node);

}  // namespace kinetic::backend
