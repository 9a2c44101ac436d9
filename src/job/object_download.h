#pragma once

#include "kinetic/result.h"

#include "base/crc32c.h"
#include "base/file_system.h"
#include "base/unique_fd.h"
#include "store/store.h"

#include <cstdint>
#include <functional>
#include <stop_token>

namespace kinetic::job {

/// Brings one object to a file. What arrives is kept beside it under a name made from the object's
/// own and its generation, so that a download that ended halfway is gone on with; the file gets its
/// name when it is whole.
///
/// @threads  one thread at a time.
class ObjectDownload {
 public:
  ObjectDownload(store::Store& store, FileSystem& fs, store::ObjectInfo object, Path file);

  /// Whether the file is there and is the object: of the same size and checksum or, where the store
  /// keeps no checksum, not older than it.
  Result<bool> IsThere();

  /// How much an earlier download has left to be fetched.
  std::uint64_t BytesLeft() const;

  /// Fetches what is left.
  ///
  /// @param on_bytes  told of each piece.
  /// @errors  kAborted (the object was replaced meanwhile) · kDataLoss (it is not what the store
  ///          says; what was fetched is thrown away) · those of Store and FileSystem.
  Status Fetch(const std::function<void(std::uint64_t bytes)>& on_bytes, std::stop_token stop);

 private:
  Status FetchRest(int fd, const std::function<void(std::uint64_t bytes)>& on_bytes,
                   std::stop_token stop);

  store::Store& store_;
  FileSystem& fs_;
  const store::ObjectInfo object_;
  const Path file_;
  Path part_;
};

}  // namespace kinetic::job
