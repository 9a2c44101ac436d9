#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "base/hash/digest.h"
#include "base/time/clock.h"

#include <memory>
#include <optional>
#include <string>

namespace kinetic::bundle {

/// Remembers the digests of files by what the file system says of them, so that a file that has not
/// changed is not read again. One file on disk per project.
///
/// A file is recognised by its path, size, both times of change, inode, device and mode. One that
/// was changed so shortly before it was read that a later change could carry the same time is not
/// remembered, so that nothing is ever mistaken for unchanged; it is the next time.
///
/// @threads  safe to call concurrently.
class StatCache {
 public:
  /// Reads the cache; one that is absent, damaged or of another version is empty.
  ///
  /// @param now  the time before any file is read, by the clock that files' times come from.
  /// @errors  those of FileSystem (not kNotFound).
  static Result<StatCache> Load(FileSystem& fs, const Path& file, WallTime now);

  StatCache(StatCache&&) noexcept;
  StatCache& operator=(StatCache&&) noexcept;
  ~StatCache();

  /// The digest of the file's content, when it is known to be unchanged.
  std::optional<Digest> Find(const std::string& path, const FileStatus& status) const;

  /// Remembers the digest of a file.
  ///
  /// @param status  taken before the content was read and the same after it.
  void Insert(std::string path, const FileStatus& status, const Digest& digest);

  /// Writes what was found or inserted since Load; what was not asked for has vanished and is
  /// dropped. Replaces the file atomically, and leaves it alone when nothing has changed. Makes
  /// missing folders.
  ///
  /// @errors  those of FileSystem.
  Status Save(FileSystem& fs);

  /// The tree that this project's last bundle was; it may not have been stored in the end.
  std::optional<Digest> last_tree() const;
  /// The stored tree on which the last one was built, if there was one.
  std::optional<Digest> tree_before() const;
  void SetLastTree(const Digest& tree, std::optional<Digest> before = {});

 private:
  struct State;
  explicit StatCache(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kinetic::bundle
