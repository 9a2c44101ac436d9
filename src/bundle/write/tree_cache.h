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

/// How much a TreeCache keeps of all stores together; the least used goes first.
struct TreeCacheLimits {
  std::uint64_t bytes = 256ULL << 20;
  std::size_t files = 512;
};

/// The tree objects of a store that this client wrote or read, so that building on one of them
/// costs no request for its content: a file for each in one folder, which several stores and
/// processes share. What is found says of which generation it is; whether that is the one in the
/// store is for the store to say (ContentLease::LookAt).
///
/// @threads  safe to call concurrently, also from several processes.
class TreeCache {
 public:
  /// @param location  of the store, as Store::Location has it. `fs` and `clock` outlive the cache.
  TreeCache(FileSystem& fs, Clock& clock, Path folder, std::string location,
            TreeCacheLimits limits = {});

  /// What was kept last of a tree. Nothing: it is not there, or not as it was written.
  std::optional<TreeObject> Find(const Digest& tree) const;

  /// Keeps a tree object in place of one of the same tree, and makes room. One of more than a
  /// quarter of the limit is not kept. Makes missing folders.
  ///
  /// @errors  those of FileSystem.
  Status Keep(const Digest& tree, const TreeObject& object) const;

 private:
  Path FileOf(const Digest& tree) const;
  /// Removes what is above the limits, and what writers that died left.
  Status MakeRoom() const;

  FileSystem& fs_;
  Clock& clock_;
  const Path folder_;
  const std::string location_;
  const TreeCacheLimits limits_;
};

}  // namespace kinetic::bundle
