#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "base/time/clock.h"
#include "bundle/format/tree_codec.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace kinetic::bundle {

/// The limits of a TreeCache for all stores together. The least recently used trees are evicted.
struct TreeCacheLimits {
  std::uint64_t bytes = 256ULL << 20;
  std::size_t files = 512;
};

/// Local copies of tree objects that this client wrote or read, one file each, in a folder that is
/// shared by stores and processes. A copy may be outdated: compare its generation with the store's
/// (ContentLease::Inspect).
///
/// @threads  safe to call concurrently, also in several processes.
class TreeCache {
 public:
  /// @param location  Store::Location of the store. `fs` and `clock` must outlive the cache.
  TreeCache(FileSystem& fs, Clock& clock, Path folder, std::string location,
            TreeCacheLimits limits = {});

  /// Returns the cached object of a tree, or nullopt if it is absent or damaged.
  std::optional<TreeObject> Find(const Digest& tree) const;

  /// Stores or replaces the object of a tree and evicts others. Ignores objects larger than a
  /// quarter of the limit. Creates missing folders.
  ///
  /// @errors  those of FileSystem.
  Status Insert(const Digest& tree, const TreeObject& object) const;

 private:
  Path FilePath(const Digest& tree) const;
  /// Removes trees above the limits, and temporary files of terminated writers.
  Status Evict() const;

  FileSystem& fs_;
  Clock& clock_;
  const Path folder_;
  const std::string location_;
  const TreeCacheLimits limits_;
};

}  // namespace kinetic::bundle
