#include "kinetic/try.h"

#include "base/strings.h"
#include "store/folder/internal_files.h"
#include "store/folder/object_file.h"
#include "store/folder_store.h"
#include "store/object.h"

#include <algorithm>
#include <array>
#include <thread>
#include <utility>
#include <vector>

namespace kinetic::store {
namespace {

/// Limits attempts of a change that other processes or the resolution of file times prevent.
constexpr int kWriteAttempts = 1000;
constexpr std::chrono::milliseconds kTick{1};

std::int64_t Nanos(WallTime time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count();
}

WallTime FromNanos(std::int64_t nanos) {
  return WallTime(std::chrono::duration_cast<WallTime::duration>(std::chrono::nanoseconds(nanos)));
}

/// A file that replaces another must have a different birth time, so that generations do not repeat
/// when an inode is reused.
bool SameBirth(const FileStatus& now, std::int64_t old_birth_ns) {
  return now.birth_ns != 0 && now.birth_ns / 1000 == old_birth_ns / 1000;
}

Failure TooManyAttempts(std::string_view name) {
  return Fail(ErrorCode::kAborted,
              "cannot store " + Printable(name) + ": another process keeps changing it",
              "run the same command again");
}

}  // namespace

Result<TemporaryFile> FolderStore::WriteTemporary(std::string_view name, Content content,
                                                  const std::stop_token& stop) {
  KINETIC_RETURN_IF_ERROR(content.source.Rewind());
  KINETIC_ASSIGN_OR_RETURN(TemporaryFile file,
                           TemporaryFile::Create(fs_, root_ / kTemporaryFolder));
  std::uint64_t size = 0;
  std::string last;
  for (;;) {
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped");
    KINETIC_ASSIGN_OR_RETURN(const std::string_view piece, content.source.Next());
    if (piece.empty()) break;
    KINETIC_RETURN_IF_ERROR(file.Write(piece));
    size += piece.size();
    last += piece.substr(piece.size() - std::min(piece.size(), kTrailerMagic.size()));
    last.erase(0, last.size() - std::min(last.size(), kTrailerMagic.size()));
  }
  if (size < content.source.size_bytes()) {
    return Fail(ErrorCode::kAborted,
                "the content of " + Printable(name) + " was truncated while it was read");
  }
  if (size > content.source.size_bytes()) {
    return Fail(ErrorCode::kInternal, Printable(name) + " was declared as " +
                                          std::to_string(content.source.size_bytes()) +
                                          " bytes, but has " + std::to_string(size));
  }
  const std::string trailer = MakeTrailer(content.options.metadata, last);
  if (!trailer.empty()) KINETIC_RETURN_IF_ERROR(file.Write(trailer));
  auto lease = content.options.lease;
  if (!lease && clock_ != nullptr) lease = clock_->Now();
  KINETIC_RETURN_IF_ERROR(file.Finish(lease, content.options.is_durable));
  return file;
}

Status FolderStore::EnsureFolder(const Path& folder, bool is_durable) {
  if (folder == root_) {  // never created: its disk may not be mounted
    KINETIC_RETURN_IF_ERROR(fs_.Lstat(root_));
    return {};
  }
  const auto make = [&]() -> Status {
    KINETIC_RETURN_IF_ERROR(fs_.MakeDirectory(folder, 0777));
    KINETIC_RETURN_IF_ERROR(SharedMode::Of(fs_, root_).ApplyToFolder(fs_, folder));
    return is_durable ? SyncFolderOf(folder) : Status();
  };
  auto made = make();
  if (made) return made;
  // kFailedPrecondition: another program has put a link in place of a folder above.
  if (made.error().code == ErrorCode::kNotFound ||
      made.error().code == ErrorCode::kFailedPrecondition) {
    KINETIC_RETURN_IF_ERROR(EnsureFolder(folder.parent_path(), is_durable));
    made = make();
    if (made) return made;
  }
  if (made.error().code == ErrorCode::kNotFound) return {};  // removed at once; the caller retries
  if (made.error().code != ErrorCode::kAlreadyExists) return made;
  const auto status = fs_.Lstat(folder);
  if (!status || status->type == FileType::kDirectory) return {};
  KINETIC_RETURN_IF_ERROR(Discard(fs_, root_, folder, status->type));
  return EnsureFolder(folder, is_durable);
}

Status FolderStore::SyncFolderOf(const Path& path) {
  auto synced = SyncDirectory(fs_, path.parent_path());
  // If the folder was removed, so was its content.
  if (!synced && synced.error().code == ErrorCode::kNotFound) return {};
  return synced;
}

/// Flushes the object's file, and the entries of the folders that may have been created for it.
Status FolderStore::Flush(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    KINETIC_RETURN_IF_ERROR(CheckName(name));
    KINETIC_ASSIGN_OR_RETURN(const auto object, OpenObjectFile(fs_, root_, name));
    if (!object || !object->damage.empty()) continue;
    KINETIC_RETURN_IF_ERROR(fs_.Sync(object->fd.get()));
    for (Path path = PathOf(name); path != root_; path = path.parent_path())
      KINETIC_RETURN_IF_ERROR(SyncFolderOf(path));
  }
  return {};
}

Result<bool> FolderStore::LinkTo(const TemporaryFile& file, std::string_view name, bool is_durable,
                                 const std::stop_token& stop) {
  const Path path = PathOf(name);
  for (int attempt = 0; attempt < kWriteAttempts; ++attempt) {
    const auto linked = fs_.Link(file.path(), path);
    if (linked) return true;
    if (linked.error().code == ErrorCode::kNotFound) {
      KINETIC_RETURN_IF_ERROR(EnsureFolder(path.parent_path(), is_durable));
    } else if (linked.error().code == ErrorCode::kAlreadyExists) {
      KINETIC_ASSIGN_OR_RETURN(const bool exists, Exists(name));
      if (exists) return false;
      KINETIC_RETURN_IF_ERROR(RemoveDamaged(name, stop));
    } else {
      return Failure(linked.error());
    }
  }
  return TooManyAttempts(name);
}

Result<std::optional<ObjectInfo>> FolderStore::Create(std::string_view name, Content content,
                                                      const std::stop_token& stop) {
  const bool is_durable = content.options.is_durable;
  KINETIC_ASSIGN_OR_RETURN(const bool exists, Exists(name));
  if (exists) return std::nullopt;
  KINETIC_RETURN_IF_ERROR(EnsureFolder(PathOf(name).parent_path(), is_durable));
  KINETIC_ASSIGN_OR_RETURN(const TemporaryFile file, WriteTemporary(name, content, stop));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, file.Stat());
  KINETIC_ASSIGN_OR_RETURN(const bool created, LinkTo(file, name, is_durable, stop));
  if (!created) return std::nullopt;
  if (is_durable) KINETIC_RETURN_IF_ERROR(SyncFolderOf(PathOf(name)));
  ObjectInfo info = InfoOf(status, name);
  info.size_bytes = content.source.size_bytes();
  info.metadata = content.options.metadata;
  return info;
}

Result<std::optional<ObjectInfo>> FolderStore::Replace(std::string_view name, Content content,
                                                       std::int64_t generation,
                                                       const std::stop_token& stop) {
  const Path path = PathOf(name);
  for (int attempt = 0; attempt < kWriteAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(const auto seen, StatFile(name));
    if (!seen || GenerationOf(*seen) != generation) return std::nullopt;
    KINETIC_ASSIGN_OR_RETURN(TemporaryFile file, WriteTemporary(name, content, stop));
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, file.Stat());
    if (SameBirth(status, seen->birth_ns)) {
      std::this_thread::sleep_for(kTick);
      continue;
    }
    {
      KINETIC_ASSIGN_OR_RETURN(const FileLock lock, LockObject(fs_, root_, name, stop));
      KINETIC_ASSIGN_OR_RETURN(const auto now, StatFile(name));
      if (!now || GenerationOf(*now) != generation) return std::nullopt;
      KINETIC_RETURN_IF_ERROR(file.RenameTo(path));
    }
    if (content.options.is_durable) KINETIC_RETURN_IF_ERROR(SyncFolderOf(path));
    ObjectInfo info = InfoOf(status, name);
    info.size_bytes = content.source.size_bytes();
    info.metadata = content.options.metadata;
    return info;
  }
  return TooManyAttempts(name);
}

/// Sets an mtime later than `old_ns`: the wanted one, or the next one that the file system can
/// store.
Status FolderStore::SetLease(const Path& path, std::int64_t wanted_ns, std::int64_t old_ns) {
  constexpr std::array<std::int64_t, 4> kSteps = {1, 1000, 1'000'000'000, 2'000'000'000};
  for (const std::int64_t step : kSteps) {
    KINETIC_RETURN_IF_ERROR(
        fs_.SetModifiedTime(path, FromNanos(std::max(wanted_ns, old_ns + step))));
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs_.Lstat(path));
    if (status.mtime_ns > old_ns) return {};
  }
  return Fail(ErrorCode::kFailedPrecondition,
              "cannot renew " + Printable(path.native()) +
                  ": the file system does not store the modification time");
}

/// Returns a copy of a whole file, including its trailer, with a different birth time.
Result<TemporaryFile> FolderStore::CopyFile(int fd, std::int64_t old_birth_ns) {
  for (int attempt = 0; attempt < kWriteAttempts; ++attempt) {
    KINETIC_ASSIGN_OR_RETURN(TemporaryFile copy,
                             TemporaryFile::Create(fs_, root_ / kTemporaryFolder));
    KINETIC_ASSIGN_OR_RETURN(const FileStatus status, copy.Stat());
    if (SameBirth(status, old_birth_ns)) {
      std::this_thread::sleep_for(kTick);
      continue;
    }
    std::vector<char> buffer(256U << 10);
    for (std::uint64_t offset = 0;;) {
      KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs_.ReadAt(fd, buffer, offset));
      if (count == 0) break;
      KINETIC_RETURN_IF_ERROR(copy.Write({buffer.data(), count}));
      offset += count;
    }
    KINETIC_RETURN_IF_ERROR(copy.Finish({}));
    return copy;
  }
  return Fail(ErrorCode::kUnavailable,
              "cannot copy an object: the file system's clock does not advance");
}

/// Replaces another user's file by a copy with another lease. Copies without holding the lock.
/// Returns nullopt if the object has changed meanwhile.
Result<std::optional<ObjectInfo>> FolderStore::ReplaceByCopy(const ObjectFile& object,
                                                             std::string_view name,
                                                             std::int64_t wanted_ns,
                                                             const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(TemporaryFile copy, CopyFile(object.fd.get(), object.status.birth_ns));
  KINETIC_RETURN_IF_ERROR(SetLease(copy.path(), wanted_ns, object.status.mtime_ns));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, copy.Stat());
  KINETIC_ASSIGN_OR_RETURN(ObjectInfo info, ReadInfo(fs_, object, name));
  info.generation = GenerationOf(status);
  info.metageneration = status.mtime_ns;
  info.lease = InfoOf(status, name).lease;
  {
    KINETIC_ASSIGN_OR_RETURN(const FileLock lock, LockObject(fs_, root_, name, stop));
    KINETIC_ASSIGN_OR_RETURN(const auto now, StatFile(name));
    if (!now || GenerationOf(*now) != GenerationOf(object.status) ||
        now->mtime_ns != object.status.mtime_ns) {
      return std::nullopt;
    }
    KINETIC_RETURN_IF_ERROR(copy.RenameTo(PathOf(name)));
  }
  KINETIC_RETURN_IF_ERROR(SyncFolderOf(PathOf(name)));
  return info;
}

Result<std::optional<ObjectInfo>> FolderStore::Touch(std::string_view name,
                                                     const TouchOptions& options,
                                                     std::stop_token stop) {
  KINETIC_RETURN_IF_ERROR(CheckName(name));
  for (int attempt = 0; attempt < kWriteAttempts; ++attempt) {
    std::optional<ObjectFile> object;
    std::int64_t wanted = 0;
    {
      KINETIC_ASSIGN_OR_RETURN(const FileLock lock, LockObject(fs_, root_, name, stop));
      KINETIC_ASSIGN_OR_RETURN(object, OpenObjectFile(fs_, root_, name));
      if (!object || !object->damage.empty()) return std::nullopt;
      if (options.generation && *options.generation != GenerationOf(object->status)) {
        return std::nullopt;
      }
      KINETIC_ASSIGN_OR_RETURN(const WallTime lease,
                               options.lease ? Result<WallTime>(*options.lease) : ExactNow(stop));
      wanted = Nanos(lease);
      const auto renewed = SetLease(PathOf(name), wanted, object->status.mtime_ns);
      if (renewed) {
        KINETIC_ASSIGN_OR_RETURN(object->status, fs_.Fstat(object->fd.get()));
        KINETIC_ASSIGN_OR_RETURN(ObjectInfo info, ReadInfo(fs_, *object, name));
        return info;
      }
      if (renewed.error().code != ErrorCode::kPermissionDenied) return Failure(renewed.error());
    }
    // Only a file's owner can set its time.
    KINETIC_ASSIGN_OR_RETURN(auto replaced, ReplaceByCopy(*object, name, wanted, stop));
    if (replaced) return replaced;
  }
  return TooManyAttempts(name);
}

}  // namespace kinetic::store
