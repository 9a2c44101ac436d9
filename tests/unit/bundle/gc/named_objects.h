#pragma once

#include "bundle/gc/content_lease.h"

#include <chrono>
#include <string>
#include <string_view>

namespace kinetic::bundle {

inline constexpr std::chrono::hours kDay{24};

inline Digest PackNamed(char name) { return Sha256::Of(std::string("pack ") + name); }
inline Digest TreeNamed(char name) { return Sha256::Of(std::string("tree ") + name); }

/// Parses the tree objects of these tests: the names of the packs, '|', and the name of the base,
/// as in "ab|x".
inline Result<TreeReferences> NamedReferencesOf(std::string_view object) {
  const auto bar = object.find('|');
  if (bar == std::string_view::npos) return Fail(ErrorCode::kDataLoss, "no tree");
  TreeReferences references;
  for (const char pack : object.substr(0, bar)) references.packs.push_back(PackNamed(pack));
  if (bar + 1 < object.size()) references.base = TreeNamed(object[bar + 1]);
  return references;
}

}  // namespace kinetic::bundle
