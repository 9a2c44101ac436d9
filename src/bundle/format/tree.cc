#include "bundle/format/tree.h"

#include "bundle/format/wire.h"

namespace kinetic::bundle {
namespace {

char KindOf(BundleEntry::Type type, bool executable) {
  switch (type) {
    case BundleEntry::Type::kFile:
      return executable ? 'x' : 'f';
    case BundleEntry::Type::kSymlink:
      return 'l';
    case BundleEntry::Type::kEmptyFolder:
      break;
  }
  return 'd';
}

}  // namespace

TreeHasher::TreeHasher() : list_("kinetic tree 1\n") {}

void TreeHasher::Add(std::string_view path, BundleEntry::Type type, bool executable,
                     const Digest& content) {
  constexpr std::size_t kFlushBytes = 1 << 16;  // few large updates are faster than many small ones
  list_ += KindOf(type, executable);
  PutVarint(list_, path.size());
  list_ += path;
  list_ += content.View();
  if (list_.size() < kFlushBytes) return;
  sha_.Update(list_);
  list_.clear();
}

Digest TreeHasher::Finish() { return sha_.Update(list_).Finish(); }

Digest TreeDigest(std::span<const TreeEntry> entries) {
  TreeHasher hasher;
  for (const auto& entry : entries) {
    hasher.Add(entry.path, entry.type, entry.executable, entry.content);
  }
  return hasher.Finish();
}

}  // namespace kinetic::bundle
