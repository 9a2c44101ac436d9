#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"
#include "store/object_store.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::bundle {

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

}  // namespace kinetic::bundle
