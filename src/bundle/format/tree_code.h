#pragma once

#include "kinetic/result.h"

#include "bundle/format/tree.h"
#include "bundle/gc/tree_references.h"

#include <string>
#include <string_view>

namespace kinetic::bundle {

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
