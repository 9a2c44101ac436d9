#pragma once

#include "base/hash/digest.h"
#include "bundle/format/tree_codec.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::test {

/// Content of a GcWorld: trees and packs by number. A tree object is "packs|base", such as "014|-".
inline constexpr int kPacks = 6;
inline constexpr int kTrees = 6;

/// For at least this long after a writer has confirmed a tree, the tree is kept.
inline constexpr std::chrono::hours kConfirmedFor{12};

Digest PackDigest(int pack);
Digest TreeDigest(int tree);
const std::string& PackName(int pack);
const std::string& TreeName(int tree);

/// The objects that a tree object refers to.
struct Body {
  std::vector<int> packs;
  std::optional<int> base;
};
Body Parse(std::string_view text);
Result<bundle::TreeReferences> ReferencesOf(std::string_view text);

}  // namespace kinetic::test
