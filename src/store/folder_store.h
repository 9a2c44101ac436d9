#pragma once

#include "base/files/file_system.h"
#include "store/folder/internal_files.h"
#include "store/folder/object_file.h"
#include "store/object_store.h"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::store {

/// Stores objects as files in a folder: docs/reference/store.md, "Folder store". An object's lease
/// is its file's mtime, by the clock of the file system.
///
/// Objects are created with link(2); other changes are serialised with flock(2). The file system
/// must support hard links, and a network file system must honor flock between machines.
class FolderStore final : public Store {
 public:
  /// `root` is the absolute path of an existing folder. The store never creates it, because it may
  /// be the mount point of a disk that is not mounted. It follows no symbolic link below
  /// `root`. `fs` must outlive the store.
  FolderStore(Path root, FileSystem& fs) : FolderStore(std::move(root), fs, nullptr) {}
  /// For tests: simulates the file system's clock. `clock` must outlive the store.
  FolderStore(Path root, FileSystem& fs, Clock& clock) : FolderStore(std::move(root), fs, &clock) {}

  std::string Location() const override { return root_.native(); }
  Result<WallTime> Now(std::stop_token stop) override;
  Result<WallTime> ExactNow(std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Put(std::string_view name, Source& source,
                                        const Precondition& precondition, const PutOptions& options,
                                        std::stop_token stop) override;
  Status Flush(const std::vector<std::string>& names) override;
  Result<std::optional<ReadResult>> Get(std::string_view name, const Range& range, const Sink& sink,
                                        std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Stat(std::string_view name, std::stop_token stop) override;
  Status List(std::string_view prefix, std::string_view start,
              const std::function<Result<bool>(const ObjectInfo&)>& each,
              std::stop_token stop) override;
  Result<std::optional<ObjectInfo>> Touch(std::string_view name, const TouchOptions& options,
                                          std::stop_token stop) override;
  Result<Removal> RemoveIfUnchanged(const ObjectInfo& seen, std::stop_token stop) override;
  Result<std::uint64_t> RemoveLeftovers(std::stop_token stop) override;

 private:
  FolderStore(Path root, FileSystem& fs, Clock* clock)
      : root_(std::move(root)), confined_(fs.Confined(root_)), fs_(*confined_), clock_(clock) {}

  struct Content {
    Source& source;
    const PutOptions& options;
  };

  Path PathOf(std::string_view name) const { return root_ / name; }
  Result<std::optional<FileStatus>> StatFile(std::string_view name);
  /// Returns whether an intact object exists.
  Result<bool> Exists(std::string_view name);
  Status RemoveDamaged(std::string_view name, const std::stop_token& stop);

  Result<std::optional<ObjectInfo>> Create(std::string_view name, Content content,
                                           const std::stop_token& stop);
  Result<std::optional<ObjectInfo>> Replace(std::string_view name, Content content,
                                            std::int64_t generation, const std::stop_token& stop);
  Result<TemporaryFile> WriteTemporary(std::string_view name, Content content,
                                       const std::stop_token& stop);
  Result<bool> LinkTo(const TemporaryFile& file, std::string_view name, bool is_durable,
                      const std::stop_token& stop);
  Status EnsureFolder(const Path& folder, bool is_durable);
  Status SyncFolderOf(const Path& path);
  Status SetLease(const Path& path, std::int64_t wanted_ns, std::int64_t old_ns);
  Result<TemporaryFile> CopyFile(int fd, std::int64_t old_birth_ns);
  Result<std::optional<ObjectInfo>> ReplaceByCopy(const ObjectFile& object, std::string_view name,
                                                  std::int64_t wanted_ns,
                                                  const std::stop_token& stop);

  const Path root_;
  const std::unique_ptr<FileSystem> confined_;  ///< others can create links in a shared store
  FileSystem& fs_;
  Clock* const clock_;  ///< null: the file system's
  std::mutex mutex_;
  /// A time of the file system's clock, with the time of this process when it was read.
  std::optional<std::pair<SteadyTime, WallTime>> known_now_;
};

}  // namespace kinetic::store
