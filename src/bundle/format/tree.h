#pragma once

#include "kinetic/bundle.h"
#include "kinetic/result.h"

#include "base/hash/digest.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::bundle {

/// The location of a piece of content: in a frame of a pack, or in the tree object.
struct Extent {
  static constexpr std::uint32_t kInline = 0xFFFFFFFF;
  std::uint32_t pack = kInline;  ///< index into Tree::packs, or kInline
  std::uint32_t frame = 0;       ///< index into PackInfo::frames; 0 when inline
  std::uint64_t offset = 0;      ///< in the decompressed frame, or in Tree::inline_bytes
  std::uint64_t length = 0;      ///< bytes of content, at least 1
  Digest content;                ///< sha256 of those bytes

  bool IsInline() const { return pack == kInline; }
  bool operator==(const Extent&) const = default;
};

/// A file, a symbolic link or an empty folder in a tree.
struct TreeEntry {
  std::string path;  ///< relative, '/'-separated; bytes, not necessarily UTF-8
  BundleEntry::Type type = BundleEntry::Type::kFile;
  bool executable = false;
  std::string link_target;       ///< of a symbolic link
  Digest content;                ///< sha256 of the file or the link's target; of "" for a folder
  std::uint64_t size_bytes = 0;  ///< of the file or the link's target
  std::vector<Extent> extents;   ///< of a non-empty file: its pieces, in order

  bool operator==(const TreeEntry&) const = default;
};

/// Returns whether two entries are equal except for their paths and extents.
inline bool HaveSameContent(const TreeEntry& a, const TreeEntry& b) {
  return a.type == b.type && a.executable == b.executable && a.content == b.content;
}

/// A zstd frame of a pack.
struct Frame {
  std::uint64_t offset = 0;  ///< in the pack
  std::uint32_t stored_bytes = 0;
  std::uint32_t content_bytes = 0;

  bool operator==(const Frame&) const = default;
};

struct PackInfo {
  Digest digest;
  std::vector<Frame> frames;

  bool operator==(const PackInfo&) const = default;
};

/// The entries of a bundle and their locations: docs/reference/store.md, "Trees".
struct Tree {
  std::vector<TreeEntry> entries;  ///< sorted by path, bytewise
  std::vector<PackInfo> packs;
  std::string inline_bytes;
  std::optional<Digest> base;  ///< of a delta: its base tree
  std::size_t base_packs = 0;  ///< of a delta: number of packs of the base, which come first
  std::uint64_t base_inline_bytes = 0;  ///< of a delta: inline bytes of the base, which come first
};

/// Computes the name of a tree: the digest of its paths, types, modes and contents, in order of the
/// paths.
class TreeHasher {
 public:
  TreeHasher();
  void Add(std::string_view path, BundleEntry::Type type, bool executable, const Digest& content);
  Digest Finish();

 private:
  Sha256 sha_;
  std::string list_;  ///< not hashed yet
};

/// Returns the name of a tree. `entries` must be sorted.
Digest TreeDigest(std::span<const TreeEntry> entries);

inline constexpr std::size_t kMaxPathBytes = 4096;
inline constexpr std::size_t kMaxNameBytes = 255;
inline constexpr std::size_t kMaxDepth = 256;
inline constexpr std::size_t kMaxEntries = 4'194'304;
inline constexpr std::uint64_t kMaxFileBytes = 1ULL << 44;

/// Checks that entries can be unpacked without writing outside their folder: paths are relative,
/// have no empty, "." or ".." part, ascend strictly bytewise, and none is the parent of another. No
/// link points outside the tree, even through other links. Nothing exceeds the limits above.
///
/// @errors  kInvalidArgument: names the path and the reason.
Status CheckEntries(std::span<const TreeEntry> entries);

}  // namespace kinetic::bundle
