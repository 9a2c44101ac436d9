#pragma once

#include "kinetic/result.h"

#include "bundle/tree.h"
#include "store/store.h"

#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::bundle {

/// Reads a tree and, of a delta, its base, and checks all of it: what is returned is what `digest`
/// names, and is safe to unpack.
///
/// @errors  kNotFound (the tree or its base is not in the store) · kDataLoss (damaged; names the
///          tree and the place) · those of Store.
Result<Tree> LoadTree(store::Store& store, const Digest& digest, std::stop_token stop);

struct LoadedTree {
  Tree tree;
  std::optional<Tree> base;  ///< of a delta
};

/// As LoadTree, with the base that was read on the way.
Result<LoadedTree> LoadTreeAndBase(store::Store& store, const Digest& digest, std::stop_token stop);

/// The whole content of one file of a tree, verified.
///
/// @errors  kResourceExhausted (larger than `limit_bytes`) · kNotFound · kDataLoss · those of
/// Store.
Result<std::string> ReadContent(store::Store& store, const Tree& tree, const TreeEntry& entry,
                                std::uint64_t limit_bytes, std::stop_token stop);

}  // namespace kinetic::bundle
