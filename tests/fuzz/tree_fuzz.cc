#include "bundle/format/tree.h"
#include "bundle/format/tree_codec.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

/// The input is a tree object without its final sha256, which is appended so that the code behind
/// that check is reached.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kinetic::bundle;
  std::string object(reinterpret_cast<const char*>(data), size);
  object += kinetic::Sha256::Of(object).View();
  Tree base;
  base.inline_bytes = "base";
  const auto tree = DecodeTree(object, &base);
  if (!tree) return 0;
  if (!CheckEntries(tree->entries)) std::abort();
  Tree full = *tree;
  full.base.reset();
  full.base_packs = full.base_inline_bytes = 0;
  const auto again = DecodeTree(*EncodeTree(full));
  if (!again || again->entries != tree->entries) std::abort();
  return 0;
}
