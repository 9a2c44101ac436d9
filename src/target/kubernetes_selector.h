#pragma once

#include "kinetic/value.h"

#include <string>
#include <vector>

namespace kinetic::target {

/// What of a pod's nodeSelector and required node affinity a node does not meet; of several
/// alternatives the nearest. Empty: it meets all.
///
/// @returns  "cloud.google.com/gke-tpu-topology=2x2 (has 1x1)", "zone in (a, b)"
std::vector<std::string> UnmetSelectors(const Value& pod, const Value& node);

/// The taints of a node that keep the pod off: "google.com/tpu=present:NoSchedule".
std::vector<std::string> UntoleratedTaints(const Value& pod, const Value& node);

}  // namespace kinetic::target
