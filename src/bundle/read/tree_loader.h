#pragma once

#include "kinetic/result.h"

#include "bundle/format/tree.h"
#include "bundle/format/tree_object.h"
#include "store/object_store.h"

#include <functional>
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

/// The objects that make up a tree.
struct TreeObjects {
  Digest digest;
  TreeObject tree;
  std::optional<Digest> base_digest;  ///< of a delta
  TreeObject base;                    ///< of a delta
};

/// Where tree objects come from. Nothing: it is not there.
using TreeFetcher = std::function<Result<std::optional<TreeObject>>(const Digest& tree)>;

/// Gets the object of a tree and, of a delta, that of its base.
///
/// @errors  kNotFound (one of them is not there) · kDataLoss (damaged) · those of `fetch`.
Result<TreeObjects> GatherTree(const Digest& digest, const TreeFetcher& fetch);

struct LoadedTree {
  Tree tree;
  std::optional<Tree> base;  ///< of a delta
};

/// Checks all of a tree as LoadTree does.
///
/// @errors  kDataLoss (damaged; names the tree and the place).
Result<LoadedTree> DecodeTree(const TreeObjects& objects);

/// The whole content of one file of a tree, verified.
///
/// @errors  kResourceExhausted (larger than `limit_bytes`) · kNotFound · kDataLoss · those of
/// Store.
Result<std::string> ReadContent(store::Store& store, const Tree& tree, const TreeEntry& entry,
                                std::uint64_t limit_bytes, std::stop_token stop);

}  // namespace kinetic::bundle
