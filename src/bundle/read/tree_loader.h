#pragma once

#include "kinetic/result.h"

#include "bundle/format/pack.h"
#include "bundle/format/tree.h"
#include "bundle/format/tree_codec.h"
#include "store/object_store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::bundle {

/// Neighbouring frames of one pack.
struct FrameRange {
  std::uint32_t pack = 0;  ///< index into Tree::packs
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// The stored bytes of a range, in one request.
///
/// @errors  kNotFound (no such pack) · kDataLoss (cut short); each names the pack · those of Store.
Result<std::string> FetchFrames(store::Store& store, const Tree& tree, const FrameRange& range,
                                std::stop_token stop);

/// The content of one frame out of its stored bytes, valid until the next use of `decompressor`.
///
/// @errors  kDataLoss: names pack, frame and offset.
Result<std::string_view> DecompressFrame(Decompressor& decompressor, const Tree& tree,
                                         std::uint32_t pack, std::uint32_t frame,
                                         std::string_view stored);

/// The error for content that has not the digest it should have.
Error WrongContent(std::string_view path, const Digest& expected);

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
