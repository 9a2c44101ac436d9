#pragma once

#include "base/hash/digest.h"

#include <bit>
#include <cstdint>
#include <cstring>
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

}  // namespace kinetic::bundle
