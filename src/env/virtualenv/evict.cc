#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/files/file_lock.h"
#include "base/random.h"
#include "base/time/clock.h"
#include "env/virtualenv/builder.h"

#include <algorithm>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::chrono::hours kInstallersEnd{48};

WallTime ModifiedTime(const FileStatus& status) {
  return WallTime(
      std::chrono::duration_cast<WallTime::duration>(std::chrono::nanoseconds(status.mtime_ns)));
}

Result<std::uint64_t> TreeSize(FileSystem& fs, const Path& path) {
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Lstat(path));
  if (status.type != FileType::kDirectory) return status.size_bytes;
  std::uint64_t size = 0;
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory(path));
  for (const auto& entry : entries) {
    KINETIC_ASSIGN_OR_RETURN(const std::uint64_t more, TreeSize(fs, path / entry.name));
    size += more;
  }
  return size;
}

Result<std::vector<DirectoryEntry>> ReadEntries(FileSystem& fs, const Path& path) {
  auto entries = fs.ReadDirectory(path);
  if (!entries && entries.error().code == ErrorCode::kNotFound) {
    return std::vector<DirectoryEntry>();
  }
  return entries;
}

/// Reads the fields that the marker contains.
void ReadMarker(FileSystem& fs, const Path& marker, CachedEnvironment& environment) {
  constexpr std::uint64_t kMaxMarkerBytes = 1U << 20;
  const auto text = ReadFile(fs, marker, kMaxMarkerBytes);
  if (!text) return;
  const auto value = Value::FromJson(*text);
  if (!value) return;
  const auto find = [&](const char* key) { return value->Find(key); };
  if (const auto* python = find("python"); python != nullptr && python->AsString() != nullptr) {
    environment.python = *python->AsString();
  }
  if (const auto* count = find("packages"); count != nullptr && count->AsInt() != nullptr) {
    environment.packages = static_cast<std::uint64_t>(std::max<std::int64_t>(0, *count->AsInt()));
  }
  if (const auto* built = find("built_at"); built != nullptr && built->AsString() != nullptr) {
    environment.built_at = ParseTime(*built->AsString()).value_or(environment.built_at);
  }
}

}  // namespace

Result<std::vector<CachedEnvironment>> ListEnvironments(FileSystem& fs, const Path& cache_dir) {
  const EnvironmentCacheLayout folder{cache_dir};
  KINETIC_ASSIGN_OR_RETURN(const auto entries, ReadEntries(fs, folder.Environments()));
  std::vector<CachedEnvironment> found;
  for (const auto& entry : entries) {
    if (!EnvironmentCacheLayout::IsId(entry.name)) continue;
    const auto marker = fs.Lstat(folder.Marker(entry.name));
    if (!marker) continue;
    // Another process is removing it.
    const auto size = TreeSize(fs, folder.Root(entry.name));
    if (!size) continue;
    CachedEnvironment cached{.id = entry.name,
                             .root = folder.Root(entry.name),
                             .python = {},
                             .built_at = ModifiedTime(*marker),
                             .last_used = ModifiedTime(*marker),
                             .size_bytes = *size};
    ReadMarker(fs, folder.Marker(entry.name), cached);
    found.push_back(std::move(cached));
  }
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  return found;
}

Result<bool> EvictEnvironment(FileSystem& fs, const Path& cache_dir,
                              const CachedEnvironment& seen) {
  const EnvironmentCacheLayout folder{cache_dir};
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder.LockFile(seen.id).parent_path()));
  KINETIC_ASSIGN_OR_RETURN(const auto held, FileLock::Try(fs, folder.LockFile(seen.id)));
  if (!held) return false;
  const auto marker = fs.Lstat(folder.Marker(seen.id));
  if (!marker || ModifiedTime(*marker) != seen.last_used) return false;
  // Rename first, so that no process finds a partial environment.
  const Path temporary = folder.TemporaryRoot(seen.id);
  KINETIC_RETURN_IF_ERROR(fs.Rename(folder.Root(seen.id), temporary));
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs, temporary));
  return true;
}

Status SweepEnvironments(const ToolOptions& tools, std::chrono::hours age) {
  const EnvironmentCacheLayout folder{tools.cache_dir};
  FileSystem& fs = *tools.fs;
  KINETIC_ASSIGN_OR_RETURN(const auto entries, ReadEntries(fs, folder.Environments()));
  for (const auto& entry : entries) {
    if (!EnvironmentCacheLayout::IsTemporary(entry.name, "")) continue;
    const std::string id = entry.name.substr(0, 64);
    KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, folder.LockFile(id).parent_path()));
    KINETIC_ASSIGN_OR_RETURN(const auto held, FileLock::Try(fs, folder.LockFile(id)));
    if (held) KINETIC_RETURN_IF_ERROR(RemoveTree(fs, folder.Environments() / entry.name));
  }
  const WallTime now = tools.clock->Now();
  // Working directories of this age belong to killed processes.
  KINETIC_RETURN_IF_ERROR(RemoveOlderThan(fs, tools.cache_dir / "tmp", now - kInstallersEnd));
  return RemoveOlderThan(fs, folder.Logs(), now - age);
}

}  // namespace kinetic::env
