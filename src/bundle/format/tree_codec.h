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

/// What a tree object needs in order to be read, as its body says.
struct TreeReferences {
  std::vector<Digest> packs;
  std::optional<Digest> base;  ///< of a delta tree: the tree it is a delta on, never a delta itself
};

/// Reads the references out of the bytes of a tree object. @errors kDataLoss.
using ReferenceReader = std::function<Result<TreeReferences>(std::string_view tree_object)>;

/// A tree as it is in a store.
struct TreeObject {
  std::string body;
  std::int64_t generation = 0;

  bool operator==(const TreeObject&) const = default;
};

/// Reads a tree object; nothing of it is checked. Nothing: it is not there.
///
/// @errors  kDataLoss (it is larger than a tree can be) · those of Store.
Result<std::optional<TreeObject>> ReadTreeObject(store::Store& store, const Digest& tree,
                                                 std::stop_token stop);

/// The largest tree object.
inline constexpr std::uint64_t kMaxTreeObjectBytes = 256ULL << 20;

/// The object of a tree: a change of `base` when tree.base is set, else all of it. Of a delta, the
/// packs and inline bytes begin with those of the base.
///
/// @source  docs/reference/store.md, "Trees"
Result<std::string> EncodeTree(const Tree& tree, const Tree* base = nullptr);

/// What gc and a renewed lease must know of a tree; a ReferenceReader.
///
/// @param object  the whole of a tree object.
/// @errors        kDataLoss, naming the place.
Result<TreeReferences> ReferencesOf(std::string_view object);

/// Reads a tree object; `base` is the tree that ReferencesOf(object).base names, read before. All
/// that unpacking relies on is checked (CheckEntries, extents within frames and within inline
/// bytes), except that TreeDigest(entries) is the object's name, which the caller compares.
///
/// @errors  kDataLoss, naming the place; kFailedPrecondition for a newer format.
Result<Tree> DecodeTree(std::string_view object, const Tree* base = nullptr);

}  // namespace kinetic::bundle
