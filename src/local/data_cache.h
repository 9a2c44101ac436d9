#pragma once

#include "kinetic/result.h"

#include "base/files/file_lock.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::local {

/// Caches the datasets of jobs in the folder that the profile's `data_cache` names. Each job gets
/// a copy, which it may change.
///
///   {folder}/{key}/content     the files of a dataset
///   {folder}/{key}/entries     their DataEntry list; its modification time is the last use
///   {folder}/{key}.lock        locked (flock) while the dataset is used or created
///   {folder}/{key}.draft       a dataset that is being created
///
/// If a cached file has another size or time than its entry, the dataset is created again.
///
/// @errors   those of FileSystem · kCancelled.
/// @threads  safe to call concurrently, also from several processes.
class DataCache {
 public:
  /// `fs` and `clock` must outlive the cache. `folder` is created on first use.
  DataCache(FileSystem& fs, Clock& clock, Path folder)
      : fs_(fs), clock_(clock), folder_(std::move(folder)) {}

  /// Creates a dataset at `place`, as a folder or as a file.
  using Materialize = std::function<Status(const Path& place)>;

  /// Copies a dataset to `place`, which must not exist. Calls `materialize` if it is not cached.
  ///
  /// @param key   identifies the content; [a-z0-9-].
  /// @param wait  how to wait for other jobs that use the dataset; `stop` ends the whole call.
  /// @returns    whether the dataset was cached.
  /// @errors     also those of `materialize`.
  Result<bool> Provide(std::string_view key, const Path& place, const Materialize& materialize,
                       const LockWait& wait) const;

  struct CachedDataSet {
    std::string key;
    Path folder;
    std::uint64_t size_bytes = 0;
    WallTime last_used;
  };
  Result<std::vector<CachedDataSet>> List() const;
  /// Removes a dataset. Returns false if it is in use or was used since List.
  Result<bool> Evict(const CachedDataSet& data_set) const;

 private:
  Status Make(const Path& set, const Materialize& materialize) const;
  Status Copy(const Path& set, const Path& place, std::stop_token stop) const;

  FileSystem& fs_;
  Clock& clock_;
  const Path folder_;
};

/// A file, folder or link of a cached dataset.
struct DataEntry {
  std::string path;  ///< relative to the content, any bytes; empty: the content itself
  FileStatus status;
};

/// Lists a path and everything below it, folders before their content.
Result<std::vector<DataEntry>> ScanData(FileSystem& fs, const Path& content);

/// Formats each entry as type, size, time, mode and path, separated by spaces and ended by NUL.
std::string FormatDataEntries(const std::vector<DataEntry>& entries);

/// Parses the output of FormatDataEntries. @errors kDataLoss.
Result<std::vector<DataEntry>> ParseDataEntries(std::string_view text);

}  // namespace kinetic::local
