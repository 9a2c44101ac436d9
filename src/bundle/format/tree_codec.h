#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "bundle/format/tree.h"
#include "store/object_store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::bundle {

/// The objects that a tree object refers to.
struct TreeReferences {
  std::vector<Digest> packs;
  std::optional<Digest> base;  ///< of a delta; the base is never a delta itself
};

/// Reads the references of a tree object. @errors kDataLoss.
using ReferenceReader = std::function<Result<TreeReferences>(std::string_view tree_object)>;

/// A tree object as stored.
struct TreeObject {
  std::string body;
  std::int64_t generation = 0;

  bool operator==(const TreeObject&) const = default;
};

/// Reads a tree object without checking it. Returns nullopt if it does not exist.
///
/// @errors  kDataLoss (larger than kMaxTreeObjectBytes) · those of Store.
Result<std::optional<TreeObject>> ReadTreeObject(store::Store& store, const Digest& tree,
                                                 std::stop_token stop);

/// The maximum size of a tree object.
inline constexpr std::uint64_t kMaxTreeObjectBytes = 256ULL << 20;

/// Encodes a tree: as a delta to `base` if tree.base is set, in full otherwise. The packs and
/// inline bytes of a delta begin with those of its base.
///
/// @source  docs/reference/store.md, "Trees"
Result<std::string> EncodeTree(const Tree& tree, const Tree* base = nullptr);

/// Reads the references of a complete tree object; a ReferenceReader.
///
/// @errors  kDataLoss, with the offset.
Result<TreeReferences> ReferencesOf(std::string_view object);

/// Decodes a tree object. `base` is the decoded tree ReferencesOf(object).base. Checks everything
/// that unpacking relies on (CheckEntries, extents within frames and inline bytes), except that
/// TreeDigest(entries) is the object's name: the caller must check that.
///
/// @errors  kDataLoss, with the offset; kFailedPrecondition for a newer format.
Result<Tree> DecodeTree(std::string_view object, const Tree* base = nullptr);

}  // namespace kinetic::bundle
