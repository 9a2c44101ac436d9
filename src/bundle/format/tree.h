#pragma once

#include "kinetic/bundle.h"
#include "kinetic/result.h"

#include "base/hash/digest.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kinetic::bundle {

/// Where one piece of content is: in a frame of a pack, or in the tree object itself.
struct Extent {
  static constexpr std::uint32_t kInline = 0xFFFFFFFF;
  std::uint32_t pack = kInline;  ///< index into Tree::packs, or kInline
  std::uint32_t frame = 0;       ///< index into PackInfo::frames; 0 when inline
  std::uint64_t offset = 0;      ///< in the frame's content, or in Tree::inline_bytes
  std::uint64_t length = 0;      ///< bytes of content, at least 1
  Digest content;                ///< sha256 of those bytes

  bool IsInline() const { return pack == kInline; }
  bool operator==(const Extent&) const = default;
};

/// One thing in a tree: a file, a symbolic link or an empty folder.
struct TreeEntry {
  std::string path;  ///< relative, '/'-separated; bytes, not necessarily UTF-8
  BundleEntry::Type type = BundleEntry::Type::kFile;
  bool executable = false;
  std::string link_target;  ///< of a symbolic link
  Digest content;           ///< sha256 of the file, of the link's target, of nothing (a folder)
  std::uint64_t size_bytes = 0;  ///< of the file or the link's target
  std::vector<Extent> extents;   ///< of a file that is not empty: its pieces, in order

  bool operator==(const TreeEntry&) const = default;
};

/// Whether two entries differ in their paths at most, and in where their content is.
inline bool HaveSameContent(const TreeEntry& a, const TreeEntry& b) {
  return a.type == b.type && a.executable == b.executable && a.content == b.content;
}

/// One zstd frame of a pack.
struct Frame {
  std::uint64_t offset = 0;  ///< of its first byte in the pack
  std::uint32_t stored_bytes = 0;
  std::uint32_t content_bytes = 0;

  bool operator==(const Frame&) const = default;
};

struct PackInfo {
  Digest digest;
  std::vector<Frame> frames;

  bool operator==(const PackInfo&) const = default;
};

/// What a bundle holds and where: docs/reference/store.md, "Trees".
struct Tree {
  std::vector<TreeEntry> entries;  ///< by path, bytewise
  std::vector<PackInfo> packs;
  std::string inline_bytes;
  std::optional<Digest> base;           ///< of a delta: the full tree that it is a change of
  std::size_t base_packs = 0;           ///< of a delta: how many of `packs` are the base's
  std::uint64_t base_inline_bytes = 0;  ///< of a delta: how much of `inline_bytes` is the base's
};

/// A tree's name: the digest of paths, types, modes and contents, and of nothing else. `entries`
/// are in order.
Digest TreeDigest(std::span<const TreeEntry> entries);

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
