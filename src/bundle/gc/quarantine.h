#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "store/object_store.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

/// Removal of damaged packs and trees, so that the next client stores them again. Their names are
/// digests of their content, so the removal of one that does not match its name loses nothing.
namespace kinetic::bundle {

/// An object that cannot be used, and why.
struct UnusableObject {
  store::ObjectInfo info;  ///< as it was before it was examined
  std::string problem;     ///< "trees/1f…: its entries do not match its digest"
};

/// Removes what makes a tree unusable after it could not be read: the damaged ones of its objects, and
/// the tree itself, because clients take a tree as a proof that its packs exist. An object that was
/// replaced in the meantime is kept. Returns the names of the removed objects.
///
/// @param pack  the pack that the reader found missing or damaged; nullopt: examines all packs.
/// @errors      those of Store.
Result<std::vector<std::string>> QuarantineTree(store::Store& store, const Digest& tree,
                                                const std::optional<Digest>& pack,
                                                std::stop_token stop);

/// The result of reading all packs and trees.
struct ContentCheck {
  std::uint64_t objects = 0;
  std::uint64_t bytes = 0;
  std::vector<UnusableObject> unusable;  ///< trees first
};

/// Reads and verifies all packs and trees of a store. Removes nothing.
///
/// @param requests  concurrent requests.
/// @errors          those of Store.
Result<ContentCheck> CheckContent(store::Store& store, std::size_t requests, std::stop_token stop);

}  // namespace kinetic::bundle
