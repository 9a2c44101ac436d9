#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "store/object_store.h"

#include <cstdint>
#include <functional>
#include <stop_token>

namespace kinetic::bundle {

class ContentLease;
struct SourceTree;
class StatCache;

/// What is to travel, as it lies on this machine.
struct Workspace {
  FileSystem& fs;
  const SourceTree& source;
  StatCache& cache;  ///< read and brought up to date; saving it is the caller's
};

/// Of content that is held at once while it is written.
inline constexpr std::uint64_t kWriteMemoryBytes = 24ULL << 20;

struct WriteOptions {
  /// Told of content as it is read and packed, by how many bytes; from one thread at a time.
  std::function<void(std::uint64_t bytes)> on_content = {};
  std::size_t threads = 0;      ///< that read, hash and compress; 0: one per processor
  std::size_t put_threads = 2;  ///< that store packs
  std::uint64_t memory_bytes = kWriteMemoryBytes;  ///< at least pack_bytes + 8 MiB
  /// 1 takes a fifth less time than 2, for 3 to 5 % more bytes of source code.
  int compression_level = 1;
  std::uint64_t pack_bytes = 16ULL << 20;  ///< stored size at which a pack is closed
};

struct WriteReport {
  Digest tree;
  bool existed = false;  ///< the tree was there already; nothing was stored
  bool delta = false;    ///< the tree was stored as a change of another
  std::uint64_t files_read = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t objects_stored = 0;
  std::uint64_t bytes_stored = 0;
};

/// The digest that a bundle of this tree has. Reads what the cache does not know; stores nothing.
///
/// @errors  kAborted (a file changes while it is read; the message names it) · kInvalidArgument
/// (the
///          tree cannot be a bundle: CheckEntries) · those of FileSystem · kCancelled.
Result<Digest> Identify(const Workspace& workspace, const WriteOptions& options,
                        std::stop_token stop);

/// Stores a bundle, or finds that it is stored: packs first, then the tree, all confirmed through
/// `lease`, which the caller renews before and after it writes the record. Each file is read at
/// most once per attempt; memory is bounded by `options.memory_bytes` and the list of entries. The
/// last tree of the workspace's cache tells what is in the store already; this one becomes the
/// last.
///
/// @param lease  on the same store.
/// @errors       those of Identify, Store and ContentLease.
Result<WriteReport> WriteBundle(store::Store& store, ContentLease& lease,
                                const Workspace& workspace, const WriteOptions& options,
                                std::stop_token stop);

}  // namespace kinetic::bundle
