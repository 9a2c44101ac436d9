#pragma once

#include "kinetic/result.h"

#include "bundle/format/tree.h"

#include <span>
#include <string>
#include <vector>

namespace kinetic::bundle {

/// Several trees in one.
struct MergedTree {
  Tree tree;  ///< full; its packs are theirs, each once
  /// Paths that more than one of them has with different content: the last one's is in `tree`.
  std::vector<std::string> replaced;
};

/// Makes the tree of what lies in a folder into which `trees` are unpacked one after the other.
/// Nothing of their content is read or stored anew.
///
/// @errors  kInvalidArgument: they do not go into one folder (CheckEntries says where), as when
///          one's file is another one's folder.
Result<MergedTree> MergeTrees(std::span<const Tree> trees);

}  // namespace kinetic::bundle
