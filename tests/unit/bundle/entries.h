#pragma once

#include "bundle/format/tree.h"

#include <string>
#include <string_view>
#include <utility>

namespace kinetic::bundle {

/// @param where  the location of the content; length and digest are set here.
inline TreeEntry FileEntry(std::string path, std::string_view content, Extent where) {
  TreeEntry entry{.path = std::move(path)};
  entry.content = Sha256::Of(content);
  entry.size_bytes = content.size();
  where.length = content.size();
  where.content = entry.content;
  entry.extents = {where};
  return entry;
}

inline TreeEntry LinkEntry(std::string path, std::string target) {
  TreeEntry entry{.path = std::move(path), .type = BundleEntry::Type::kSymlink};
  entry.link_target = std::move(target);
  entry.content = Sha256::Of(entry.link_target);
  entry.size_bytes = entry.link_target.size();
  return entry;
}

inline TreeEntry FolderEntry(std::string path) {
  TreeEntry entry{.path = std::move(path), .type = BundleEntry::Type::kEmptyFolder};
  entry.content = Sha256::Of({});
  return entry;
}

}  // namespace kinetic::bundle
