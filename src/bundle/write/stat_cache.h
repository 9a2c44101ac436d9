#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "base/time/clock.h"

#include <memory>
#include <optional>
#include <string>

namespace kinetic::bundle {

/// A persistent cache of file digests, so that unchanged files are not read again. Each project has
/// one cache file.
///
/// A file is identified by path, size, mtime, ctime, inode, device and mode. A file that changed so
/// shortly before it was read that a later change could have the same time is not cached.
///
/// @threads  safe to call concurrently.
class StatCache {
 public:
  /// Reads the cache. It is empty if the file is absent, damaged or of another version.
  ///
  /// @param now  the time before files are read, by the clock of the file system.
  /// @errors  those of FileSystem (not kNotFound).
  static Result<StatCache> Load(FileSystem& fs, const Path& file, WallTime now);

  StatCache(StatCache&&) noexcept;
  StatCache& operator=(StatCache&&) noexcept;
  ~StatCache();

  /// Returns the digest of a file if it has not changed.
  std::optional<Digest> Find(const std::string& path, const FileStatus& status) const;

  /// Caches the digest of a file.
  ///
  /// @param status  read before the content, and equal after it.
  void Insert(std::string path, const FileStatus& status, const Digest& digest);

  /// Writes the entries found or inserted since Load and drops all others. Replaces the file
  /// atomically if something changed. Creates missing folders.
  ///
  /// @errors  those of FileSystem.
  Status Save(FileSystem& fs);

  /// Returns the tree of the project's last bundle. It may not have been stored.
  std::optional<Digest> last_tree() const;
  /// Returns the stored tree that the last one is based on.
  std::optional<Digest> previous_tree() const;
  void SetLastTree(const Digest& tree, std::optional<Digest> before = {});

 private:
  struct State;
  explicit StatCache(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kinetic::bundle
