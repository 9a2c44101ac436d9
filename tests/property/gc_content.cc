#include "gc_content.h"

#include "record/object_names.h"

#include <array>

namespace kinetic::test {

Digest PackDigest(int pack) { return Sha256::Of("pack " + std::to_string(pack)); }
Digest TreeDigest(int tree) { return Sha256::Of("tree " + std::to_string(tree)); }

const std::string& PackName(int pack) {
  static const auto kNames = [] {
    std::array<std::string, kPacks> all;
    for (int i = 0; i < kPacks; ++i)
      all.at(static_cast<std::size_t>(i)) = record::PackName(PackDigest(i));
    return all;
  }();
  return kNames.at(static_cast<std::size_t>(pack));
}

const std::string& TreeName(int tree) {
  static const auto kNames = [] {
    std::array<std::string, kTrees> all;
    for (int i = 0; i < kTrees; ++i)
      all.at(static_cast<std::size_t>(i)) = record::TreeName(TreeDigest(i));
    return all;
  }();
  return kNames.at(static_cast<std::size_t>(tree));
}

Body Parse(std::string_view text) {
  Body body;
  const auto bar = text.find('|');
  for (const char c : text.substr(0, bar)) body.packs.push_back(c - '0');
  if (text.substr(bar + 1) != "-") body.base = text[bar + 1] - '0';
  return body;
}

Result<bundle::TreeReferences> ReferencesOf(std::string_view text) {
  const Body body = Parse(text);
  bundle::TreeReferences references;
  for (const int pack : body.packs) references.packs.push_back(PackDigest(pack));
  if (body.base) references.base = TreeDigest(*body.base);
  return references;
}

}  // namespace kinetic::test
