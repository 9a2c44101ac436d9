#pragma once

#include "base/hash/digest.h"
#include "bundle/format/tree.h"

#include <cstddef>
#include <string>
#include <vector>

namespace kinetic::env {

/// A layer of an environment's image before it is made.
struct PlannedLayer {
  /// What of one package's tree is in it.
  struct Part {
    std::size_t package = 0;  ///< index of its tree
    std::vector<bundle::TreeEntry> entries;
  };
  std::string name;  ///< for people: "jaxlib 0.4.30", "14 packages"
  Digest key;        ///< equal keys, equal archives
  std::vector<Part> parts;
};

/// Shares packages out among layers. A large one has a layer of its own, the largest lowest, and
/// the small ones are together in the topmost: a node unpacks anew what lies above a changed layer,
/// and what changes most is small. Of files that several packages have, the image gets the one that
/// `merged` has, as the folder would into which they are unpacked one after the other.
///
/// @param names   of the packages, as `trees`.
/// @param merged  of all of `trees`.
/// @param prefix  folder of the environment in the image.
std::vector<PlannedLayer> PlanLayers(const std::vector<bundle::Tree>& trees,
                                     const std::vector<std::string>& names,
                                     const bundle::Tree& merged, const std::string& prefix);

}  // namespace kinetic::env
