#include "local/data_cache.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "base/files/copy_content.h"

#include <array>
#include <chrono>
#include <optional>
#include <utility>

namespace kinetic::local {
namespace {

constexpr std::size_t kFetchThreads = 4;
constexpr std::uint64_t kMaxEntriesBytes = 1ULL << 30;
constexpr std::uint32_t kPermissions = 0777;

Path Content(const Path& set) { return set / "content"; }
Path Entries(const Path& set) { return set / "entries"; }
Path LockOf(const Path& folder, std::string_view key) {
  return folder / (std::string(key) + ".lock");
}

/// Checks that a file is unchanged since it was cached.
Status CheckUnchanged(FileSystem& fs, const Path& file, const FileStatus& then) {
  KINETIC_ASSIGN_OR_RETURN(const FileStatus now, fs.Lstat(file));
  if (now.type == then.type && now.size_bytes == then.size_bytes && now.mtime_ns == then.mtime_ns) {
    return {};
  }
  return Fail(ErrorCode::kDataLoss, file.native() + " has changed since it was cached");
}

Status CopyFile(FileSystem& fs, const Path& from, const Path& to, const FileStatus& then,
                const std::stop_token& stop) {
  KINETIC_RETURN_IF_ERROR(CheckUnchanged(fs, from, then));
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd in, fs.Open(from, OpenMode::kRead, 0));
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd out,
                           fs.Open(to, OpenMode::kCreateNew, then.mode & kPermissions));
  return CopyContent(fs, in.get(), out.get(), then.size_bytes, stop);
}

}  // namespace

Status DataCache::Make(const Path& set, const Materialize& materialize) const {
  Path draft = set;
  draft += ".draft";
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs_, draft));
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs_, set));
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, draft, 0700));
  auto made = materialize(Content(draft));
  if (made) {
    auto entries = ScanData(fs_, Content(draft));
    made = entries ? WriteFileAtomically(fs_, Entries(draft), FormatDataEntries(*entries), 0600)
                   : Status(Failure(std::move(entries).error()));
  }
  if (made) made = fs_.Rename(draft, set);
  if (!made) (void)RemoveTree(fs_, draft);
  return made;
}

Status DataCache::Copy(const Path& set, const Path& place, std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(const std::string text, ReadFile(fs_, Entries(set), kMaxEntriesBytes));
  KINETIC_ASSIGN_OR_RETURN(const auto entries, ParseDataEntries(text));
  const auto at = [](const Path& root, const DataEntry& entry) {
    return entry.path.empty() ? root : root / entry.path;
  };
  std::vector<const DataEntry*> files;
  for (const DataEntry& entry : entries) {
    const Path from = at(Content(set), entry);
    if (entry.status.type == FileType::kRegular) {
      files.push_back(&entry);
    } else if (entry.status.type == FileType::kSymlink) {
      KINETIC_RETURN_IF_ERROR(CheckUnchanged(fs_, from, entry.status));
      KINETIC_ASSIGN_OR_RETURN(const std::string target, fs_.ReadLink(from));
      KINETIC_RETURN_IF_ERROR(fs_.MakeSymlink(target, at(place, entry)));
    } else {
      KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, at(place, entry), 0755));
    }
  }
  return ParallelFor(kFetchThreads, files.size(), std::move(stop),
                     [&](std::size_t i, const std::stop_token& stopping) {
                       return CopyFile(fs_, at(Content(set), *files[i]), at(place, *files[i]),
                                       files[i]->status, stopping);
                     });
}

Result<bool> DataCache::Provide(std::string_view key, const Path& place,
                                const Materialize& materialize, const LockWait& wait) const {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs_, folder_, 0700));
  KINETIC_ASSIGN_OR_RETURN(const FileLock lock, FileLock::Acquire(fs_, LockOf(folder_, key), wait));
  const Path set = folder_ / key;
  const bool is_cached = fs_.Lstat(Entries(set)).has_value();
  if (is_cached) {
    const Status copied = Copy(set, place, wait.stop);
    if (copied) {
      KINETIC_RETURN_IF_ERROR(fs_.SetModifiedTime(Entries(set), clock_.Now()));
      return true;
    }
    const ErrorCode code = copied.error().code;
    if (code != ErrorCode::kDataLoss && code != ErrorCode::kNotFound) {
      return Failure(copied.error());
    }
    KINETIC_RETURN_IF_ERROR(RemoveTree(fs_, place));
  }
  KINETIC_RETURN_IF_ERROR(Make(set, materialize));
  KINETIC_RETURN_IF_ERROR(Copy(set, place, wait.stop));
  return false;
}

Result<std::vector<DataCache::CachedDataSet>> DataCache::List() const {
  std::vector<CachedDataSet> found;
  auto names = fs_.ReadDirectory(folder_);
  if (!names && names.error().code == ErrorCode::kNotFound) return found;
  if (!names) return Failure(std::move(names).error());
  for (const auto& name : *names) {
    const Path set = folder_ / name.name;
    const auto used = fs_.Lstat(Entries(set));
    if (!used || set.has_extension()) continue;
    // Skips a dataset that is being removed.
    const auto text = ReadFile(fs_, Entries(set), kMaxEntriesBytes);
    if (!text) continue;
    CachedDataSet data_set{name.name, set, 0, used->ModifiedTime()};
    const auto entries = ParseDataEntries(*text);
    if (entries) {
      for (const DataEntry& entry : *entries) data_set.size_bytes += entry.status.size_bytes;
    }
    found.push_back(std::move(data_set));
  }
  return found;
}

Result<bool> DataCache::Evict(const CachedDataSet& data_set) const {
  KINETIC_ASSIGN_OR_RETURN(const auto lock, FileLock::Try(fs_, LockOf(folder_, data_set.key)));
  if (!lock) return false;
  const auto used = fs_.Lstat(Entries(data_set.folder));
  if (used && used->ModifiedTime() != data_set.last_used) return false;
  // A folder without entries is not a dataset, so they are removed first.
  KINETIC_RETURN_IF_ERROR(fs_.Unlink(Entries(data_set.folder)));
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs_, data_set.folder));
  return true;
}

}  // namespace kinetic::local
