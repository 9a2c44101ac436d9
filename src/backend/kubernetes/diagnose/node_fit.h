#pragma once

#include "kinetic/explanation.h"
#include "kinetic/value.h"

#include "backend/kubernetes/snapshot/index.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinetic::backend {

/// Why a node does not accept a pod: selectors, taints and free resources.
struct NodeFit {
  const Value* node = nullptr;
  std::vector<std::string> selectors;  ///< "cloud.google.com/gke-tpu-topology=2x2 (has 1x1)"
  std::vector<std::string> taints;     ///< "google.com/tpu=present:NoSchedule"
  std::vector<std::string> resources;  ///< "8 google.com/tpu (2 of 4 free)"
  bool too_small = false;              ///< too small even when empty
};

/// A pod's request for one resource: the sum over containers and sidecars, or the maximum over init
/// containers if that is larger.
struct Request {
  std::string resource;
  double amount = 0;
};
std::vector<Request> RequestsOf(const Value& pod);

/// "8 google.com/tpu", "64.0 GiB memory"
std::string FormatRequest(const Request& request);

/// Returns all listed nodes, nearest first.
std::vector<NodeFit> FitNodes(const SnapshotIndex& index);

/// Returns the nearest five nodes for display.
std::vector<NearNode> NearestNodes(const std::vector<NodeFit>& fits);

/// Returns the parts of a pod's nodeSelector and required node affinity that a node does not match,
/// for the alternative with the fewest. Empty if the node matches.
///
/// @returns  "cloud.google.com/gke-tpu-topology=2x2 (has 1x1)", "zone in (a, b)"
std::vector<std::string> UnmetSelectors(const Value& pod, const Value& node);

/// Returns the taints of a node that the pod does not tolerate:
/// "google.com/tpu=present:NoSchedule".
std::vector<std::string> UntoleratedTaints(const Value& pod, const Value& node);

}  // namespace kinetic::backend
