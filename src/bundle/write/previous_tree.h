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

/// Finds things by a digest that they have as a member. Holds pointers to them and nothing else, in
/// one piece of memory: for the many of a tree, a map's nodes take longer to make than to look up.
///
/// @threads  as std::vector.
template <typename T, Digest T::* kKey>
class DigestIndex {
 public:
  /// @param count  the most that will be added.
  explicit DigestIndex(std::size_t count) : slots_(std::bit_ceil(count * 2 + 1), nullptr) {}

  /// Adds `thing`, which must outlive the index, unless one with its digest is there.
  bool Add(const T& thing) {
    std::size_t slot = SlotOf(thing.*kKey);
    if (slots_[slot] != nullptr) return false;
    slots_[slot] = &thing;
    return true;
  }

  /// Null when it is not there.
  const T* Find(const Digest& digest) const { return slots_[SlotOf(digest)]; }

 private:
  /// The slot of what has this digest, or the free one where it would be.
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

/// The last tree of a project: what is in the store already.
///
/// @threads  concurrent reads are safe.
class Previous {
 public:
  /// Reads the tree and confirms that all it names is there and stays. Nothing when it is gone or
  /// damaged: what cannot be built upon is left alone. When the cache of `lease` has the tree, and
  /// it is young, that takes two requests at the same time.
  ///
  /// @errors  those of Store and ContentLease.
  static Result<std::optional<Previous>> Load(store::Store& store, ContentLease& lease,
                                              const Digest& digest, std::stop_token stop);

  // What is found points into the entries: they may move, but not be copied.
  Previous(Previous&&) = default;
  Previous& operator=(Previous&&) = default;
  Previous(const Previous&) = delete;
  Previous& operator=(const Previous&) = delete;
  ~Previous() = default;

  const Tree& tree() const { return loaded_.tree; }
  /// The full tree under it, or itself.
  const Tree& base() const { return loaded_.base ? *loaded_.base : loaded_.tree; }
  const Digest& base_digest() const { return base_digest_; }

  /// Where the content of a file is; null when it is not there.
  const std::vector<Extent>* FindFile(const Digest& content) const;
  /// Where a content that is in one piece, or a chunk, is.
  const Extent* FindPiece(const Digest& content) const;

 private:
  Previous(LoadedTree loaded, const Digest& digest);

  static Result<std::optional<Previous>> Confirm(ContentLease& lease, const TreeObjects& objects,
                                                 const std::stop_token& stop);

  LoadedTree loaded_;
  Digest base_digest_;
  DigestIndex<TreeEntry, &TreeEntry::content> files_;
  std::unordered_map<Digest, const Extent*> pieces_;
};

}  // namespace kinetic::bundle
