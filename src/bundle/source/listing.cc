#include "bundle/source/walk.h"

namespace kinetic::bundle {

BundleListing ToListing(const SourceTree& tree) {
  BundleListing listing{.root = tree.root,
                        .root_reason = tree.root_reason,
                        .entries = {},
                        .total_bytes = 0,
                        .warnings = tree.warnings};
  listing.entries.reserve(tree.entries.size());
  for (const SourceEntry& entry : tree.entries) {
    listing.entries.push_back({.path = entry.path,
                               .type = entry.type,
                               .executable = entry.executable,
                               .size_bytes = entry.status.size_bytes,
                               .link_target = entry.link_target});
    listing.total_bytes += entry.status.size_bytes;
  }
  return listing;
}

}  // namespace kinetic::bundle
