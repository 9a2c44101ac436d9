#pragma once

#include "kinetic/result.h"

#include "bundle/format/tree.h"

#include <span>

namespace kinetic::bundle {

inline constexpr std::size_t kMaxPathBytes = 4096;
inline constexpr std::size_t kMaxNameBytes = 255;
inline constexpr std::size_t kMaxDepth = 256;
inline constexpr std::size_t kMaxEntries = 4'194'304;
inline constexpr std::uint64_t kMaxFileBytes = 1ULL << 44;

/// Whether a list of entries can be unpacked without leaving its folder: paths are relative and
/// without empty, "." or ".." parts, strictly ascending bytewise, none is the parent of another, no
/// link leads out of the tree (not through other links either), nothing exceeds the limits above.
///
/// @errors  kInvalidArgument: the path and what is wrong with it.
Status CheckEntries(std::span<const TreeEntry> entries);

}  // namespace kinetic::bundle
