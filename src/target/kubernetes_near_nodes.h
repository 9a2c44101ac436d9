#pragma once

#include "target/kubernetes_sighting.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinetic::target {

/// How far a node is from taking a pod, by its labels, its taints and what is free on it.
struct NodeFit {
  const Value* node = nullptr;
  std::vector<std::string> selectors;  ///< "cloud.google.com/gke-tpu-topology=2x2 (has 1x1)"
  std::vector<std::string> taints;     ///< "google.com/tpu=present:NoSchedule"
  std::vector<std::string> resources;  ///< "8 google.com/tpu, has 2 free of 4"
  bool too_small = false;              ///< even empty it has too little of something
};

/// What a pod asks for, of each resource: the sum of its containers and sidecars, or the largest
/// of its init containers where that is more.
struct Request {
  std::string resource;
  double amount = 0;
};
std::vector<Request> RequestsOf(const Value& pod);

/// "8 google.com/tpu", "64.0 GiB memory"
std::string ShowRequest(const Request& request);

/// All nodes that were listed, the nearest first.
std::vector<NodeFit> FitNodes(const Sighting& seen);

/// The nearest, at most five, for people.
std::vector<NearNode> ShowNearest(const std::vector<NodeFit>& fits);

}  // namespace kinetic::target
