#pragma once

#include "kinetic/result.h"

#include "base/hash/digest.h"

#include <functional>
#include <optional>
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

}  // namespace kinetic::bundle
