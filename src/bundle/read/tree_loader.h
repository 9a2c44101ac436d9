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

/// Adjacent frames of one pack.
struct FrameRange {
  std::uint32_t pack = 0;  ///< index into Tree::packs
  std::uint32_t first = 0;
  std::uint32_t count = 0;
};

/// Fetches the stored bytes of a range in one request.
///
/// @errors  kNotFound (no such pack) · kDataLoss (truncated); each names the pack · those of Store.
Result<std::string> FetchFrames(store::Store& store, const Tree& tree, const FrameRange& range,
                                std::stop_token stop);

/// Decompresses one frame. The content is valid until the next use of `decompressor`.
///
/// @errors  kDataLoss: names pack, frame and offset.
Result<std::string_view> DecompressFrame(Decompressor& decompressor, const Tree& tree,
                                         std::uint32_t pack, std::uint32_t frame,
                                         std::string_view stored);

/// Detail of the errors of readers: the digest of the pack that is missing or damaged.
inline constexpr const char* kPackDetail = "pack";

/// Returns the error for content with another digest than expected.
Error DigestMismatch(std::string_view path, const Digest& expected);

/// Reads and verifies a tree and, for a delta, its base. The result is safe to unpack.
///
/// @errors  kNotFound (the tree or its base is not in the store) · kDataLoss (damaged; names
///          the tree and the offset) · those of Store.
Result<Tree> LoadTree(store::Store& store, const Digest& digest, std::stop_token stop);

/// The objects that make up a tree.
struct TreeObjects {
  Digest digest;
  TreeObject tree;
  std::optional<Digest> base_digest;  ///< of a delta
  TreeObject base;                    ///< of a delta
};

/// Returns a tree object, or nullopt if it does not exist.
using TreeFetcher = std::function<Result<std::optional<TreeObject>>(const Digest& tree)>;

/// Fetches the object of a tree and, for a delta, that of its base.
///
/// @errors  kNotFound (an object does not exist) · kDataLoss (damaged) · those of `fetch`.
Result<TreeObjects> FetchTreeObjects(const Digest& digest, const TreeFetcher& fetch);

struct LoadedTree {
  Tree tree;
  std::optional<Tree> base;  ///< of a delta
};

/// Decodes and verifies a tree as LoadTree does.
///
/// @errors  kDataLoss (damaged; names the tree and the offset).
Result<LoadedTree> DecodeTree(const TreeObjects& objects);

/// Reads and verifies the content of one file of a tree.
///
/// @errors  kResourceExhausted (larger than `limit_bytes`) · kNotFound · kDataLoss · those of
/// Store.
Result<std::string> ReadContent(store::Store& store, const Tree& tree, const TreeEntry& entry,
                                std::uint64_t limit_bytes, std::stop_token stop);

/// The result of merging trees.
struct MergedTree {
  Tree tree;  ///< full; has the packs of all trees
  /// Paths with different content in several trees. `tree` has the content of the last one.
  std::vector<std::string> replaced;
};

/// Returns the tree of a folder into which `trees` are unpacked one after another. Reads and stores
/// no content.
///
/// @errors  kInvalidArgument: the trees conflict (see CheckEntries); for example, a file of one is
///          a folder of another.
Result<MergedTree> MergeTrees(std::span<const Tree> trees);

}  // namespace kinetic::bundle
