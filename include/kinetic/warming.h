#pragma once

#include "kinetic/observer.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinetic {

/// Which nodes pull a job's images, and how long they have for it.
struct WarmOptions {
  /// Be content with so many nodes; 0: all that the job may run on and that are there.
  std::uint32_t nodes = 0;
  std::string pool = {};  ///< only those of this GKE node pool; empty: of any
  std::chrono::milliseconds patience{std::chrono::minutes{30}};
  Observer* observer = nullptr;  ///< told of each node; outlives the call; may be null
};

/// What came of it.
struct WarmReport {
  struct Image {
    std::string name;
    bool was_there = false;  ///< the node had it
    /// How long the node pulled it; nothing: it was there, or the cluster does not say any more.
    std::optional<std::chrono::milliseconds> pulled_in;
  };
  struct Node {
    std::string name;
    std::vector<Image> images;  ///< as WarmReport::images, as far as the cluster tells of them
    std::string failed;         ///< why it could not; empty: it has them
  };
  std::vector<std::string> images;  ///< the runner's, and the one that the job's program runs in
  std::vector<Node> nodes;          ///< by name; none: no node is there that the job may run on
  std::string selector;             ///< "kubernetes.io/arch=amd64, …": which nodes were looked for
};

}  // namespace kinetic
