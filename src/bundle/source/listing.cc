#include "bundle/source/walk.h"

#include <utility>

namespace kinetic::bundle {

BundleListing ToListing(SourceTree tree) {
  BundleListing listing{.root = std::move(tree.root),
                        .root_reason = std::move(tree.root_reason),
                        .entries = {},
                        .total_bytes = 0,
                        .warnings = std::move(tree.warnings)};
  listing.entries.reserve(tree.entries.size());
  for (SourceEntry& entry : tree.entries) {
    listing.entries.push_back({.path = std::move(entry.path),
                               .type = entry.type,
                               .executable = entry.executable,
                               .size_bytes = entry.status.size_bytes,
                               .link_target = std::move(entry.link_target)});
    listing.total_bytes += entry.status.size_bytes;
  }
  return listing;
}

}  // namespace kinetic::bundle
