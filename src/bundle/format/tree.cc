#include "bundle/format/tree.h"

#include "bundle/format/wire.h"

namespace kinetic::bundle {
namespace {

char KindOf(const TreeEntry& entry) {
  switch (entry.type) {
    case BundleEntry::Type::kFile:
      return entry.executable ? 'x' : 'f';
    case BundleEntry::Type::kSymlink:
      return 'l';
    case BundleEntry::Type::kEmptyFolder:
      break;
  }
  return 'd';
}

}  // namespace

Digest TreeDigest(std::span<const TreeEntry> entries) {
  constexpr std::size_t kFlushBytes = 1 << 16;  // few large updates are faster than many small ones
  Sha256 sha;
  std::string list = "kinetic tree 1\n";
  for (const auto& entry : entries) {
    list += KindOf(entry);
    PutVarint(list, entry.path.size());
    list += entry.path;
    list += entry.content.View();
    if (list.size() >= kFlushBytes) {
      sha.Update(list);
      list.clear();
    }
  }
  return sha.Update(list).Finish();
}

}  // namespace kinetic::bundle
