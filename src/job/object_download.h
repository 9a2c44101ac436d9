#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "base/parts_download.h"
#include "store/store.h"

#include <cstdint>
#include <functional>
#include <stop_token>

namespace kinetic::job {

/// Brings one object to a file: a large one in ranges, several at once. What arrives is kept beside
/// it under a name made from the object's own and its generation, so that a download that ended
/// halfway is gone on with; the file gets its name when it is whole.
///
/// @threads  one thread at a time.
class ObjectDownload {
 public:
  /// @param parts  on_bytes is not called.
  ObjectDownload(store::Store& store, FileSystem& fs, store::ObjectInfo object, Path file,
                 TransferOptions parts = {});

  /// Whether the file is there and is the object: of the same size and checksum or, where the store
  /// keeps no checksum, not older than it.
  Result<bool> IsThere();

  /// How much an earlier download has left to be fetched.
  Result<std::uint64_t> BytesLeft() const;

  /// Whether it comes over several connections.
  bool IsLarge() const { return object_.size_bytes > parts_.part_bytes; }

  /// Fetches what is left. What arrives damaged is fetched once more.
  ///
  /// @param on_bytes  told of each piece; called from several threads.
  /// @errors  kAborted (the object was replaced meanwhile) · kDataLoss (it is not what the store
  ///          says). Both throw away what was fetched · those of Store and FileSystem.
  Status Fetch(const std::function<void(std::uint64_t bytes)>& on_bytes, std::stop_token stop);

 private:
  PartsDownload Download(const std::function<void(std::uint64_t bytes)>& on_bytes) const;

  store::Store& store_;
  FileSystem& fs_;
  const store::ObjectInfo object_;
  const Path file_;
  const TransferOptions parts_;
};

}  // namespace kinetic::job
