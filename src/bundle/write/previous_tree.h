#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "bundle/format/tree.h"
#include "bundle/gc/content_lease.h"
#include "bundle/read/tree_loader.h"

#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stop_token>
#include <unordered_map>
#include <vector>

namespace kinetic::bundle {

/// An open-addressing hash table of pointers to objects with a digest as a member. Building a map
/// for the entries of a tree takes longer than the lookups.
///
/// @threads  as std::vector.
template <typename T, Digest T::* kKey>
class DigestIndex {
 public:
  /// @param count  the maximum number of objects.
  explicit DigestIndex(std::size_t count) : slots_(std::bit_ceil(count * 2 + 1), nullptr) {}

  /// Adds `thing`, which must outlive the index, unless its digest is in the index.
  bool Add(const T& thing) {
    std::size_t slot = SlotOf(thing.*kKey);
    if (slots_[slot] != nullptr) return false;
    slots_[slot] = &thing;
    return true;
  }

  /// Returns null if the digest is not in the index.
  const T* Find(const Digest& digest) const { return slots_[SlotOf(digest)]; }

 private:
  /// Returns the slot of a digest, or the free slot for it.
  std::size_t SlotOf(const Digest& digest) const {
    std::uint64_t slot = 0;
    std::memcpy(&slot, digest.bytes.data(), sizeof slot);
    for (;; ++slot) {
      slot &= slots_.size() - 1;
      if (slots_[slot] == nullptr || slots_[slot]->*kKey == digest) return slot;
    }
  }

  std::vector<const T*> slots_;
};

/// The last stored tree of a project, whose content a new tree can reuse.
///
/// @threads  concurrent reads are safe.
class PreviousTree {
 public:
  /// Reads the tree and confirms everything it refers to. Returns nullopt if the tree is missing or
  /// damaged. Sends two concurrent requests if the tree is fresh and in the cache of `lease`.
  ///
  /// @errors  those of Store and ContentLease.
  static Result<std::optional<PreviousTree>> Load(store::Store& store, ContentLease& lease,
                                                  const Digest& digest, std::stop_token stop);

  // Not copyable: the indexes point to the entries.
  PreviousTree(PreviousTree&&) = default;
  PreviousTree& operator=(PreviousTree&&) = default;
  PreviousTree(const PreviousTree&) = delete;
  PreviousTree& operator=(const PreviousTree&) = delete;
  ~PreviousTree() = default;

  const Tree& tree() const { return loaded_.tree; }
  /// Returns the base of a delta, or the tree itself.
  const Tree& base() const { return loaded_.base ? *loaded_.base : loaded_.tree; }
  const Digest& base_digest() const { return base_digest_; }

  /// Returns the extents of a file with this content, or null.
  const std::vector<Extent>* FindFile(const Digest& content) const;
  /// Returns the extent of an unchunked file or a chunk with this content, or null.
  const Extent* FindPiece(const Digest& content) const;

 private:
  PreviousTree(LoadedTree loaded, const Digest& digest);

  static Result<std::optional<PreviousTree>> Confirm(ContentLease& lease,
                                                     const TreeObjects& objects,
                                                     const std::stop_token& stop);

  LoadedTree loaded_;
  Digest base_digest_;
  DigestIndex<TreeEntry, &TreeEntry::content> files_;
  std::unordered_map<Digest, const Extent*> pieces_;
};

}  // namespace kinetic::bundle
