#include "env/virtualenv/evict.h"

#include "kinetic/try.h"
#include "kinetic/value.h"

#include "base/files/file_lock.h"
#include "base/random.h"
#include "base/time/clock.h"
#include "env/virtualenv/package_set.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

namespace kinetic::env {
namespace {

constexpr std::chrono::hours kInstallersEnd{48};

/// Adds up the sizes of files with at most `max_links` hard links.
Result<std::uint64_t> TreeSize(FileSystem& fs, const Path& path, std::uint64_t max_links) {
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Lstat(path));
  if (status.type != FileType::kDirectory) {
    return status.links <= max_links ? status.size_bytes : 0;
  }
  std::uint64_t size = 0;
  KINETIC_ASSIGN_OR_RETURN(const auto entries, fs.ReadDirectory(path));
  for (const auto& entry : entries) {
    const auto more = TreeSize(fs, path / entry.name, max_links);
    // A running job may replace compiled modules.
    if (!more && more.error().code == ErrorCode::kNotFound) continue;
    KINETIC_RETURN_IF_ERROR(more);
    size += *more;
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

/// Returns when a build last used a package set, or a temporary folder was created.
Result<WallTime> LastUseOfSet(FileSystem& fs, const Path& root) {
  auto status = fs.Lstat(root / EnvironmentCacheLayout::kMarkerName);
  if (!status) status = fs.Lstat(root);
  KINETIC_RETURN_IF_ERROR(status);
  return status->ModifiedTime();
}

/// Returns whether an environment links to a package set, or may do so because its marker is
/// damaged.
Result<bool> IsLinked(FileSystem& fs, const EnvironmentCacheLayout& folder, const Path& set) {
  KINETIC_ASSIGN_OR_RETURN(const auto entries, ReadEntries(fs, folder.Environments()));
  return std::ranges::any_of(entries, [&](const DirectoryEntry& entry) {
    if (!EnvironmentCacheLayout::IsId(entry.name)) return false;
    const auto sets = LinkedPackageSets(fs, folder.Root(entry.name));
    return !sets || std::ranges::find(*sets, set) != sets->end();
  });
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
    if (!marker && marker.error().code == ErrorCode::kNotFound) continue;
    // Hard links are also in package sets.
    const auto size = TreeSize(fs, folder.Root(entry.name), 1);
    // Another process is removing it. Its package sets are in use if there is another error.
    if (!size && size.error().code == ErrorCode::kNotFound) continue;
    const WallTime used = marker ? marker->ModifiedTime() : WallTime();
    auto sets = LinkedPackageSets(fs, folder.Root(entry.name));
    CachedEnvironment cached{.id = entry.name,
                             .root = folder.Root(entry.name),
                             .python = {},
                             .built_at = used,
                             .last_used = used,
                             .size_bytes = size.value_or(0)};
    if (sets) {
      cached.package_sets = *std::move(sets);
    } else {
      cached.damage = sets.error().message;
    }
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
  if (!marker || marker->ModifiedTime() != seen.last_used) return false;
  // Rename first, so that no process finds a partial environment.
  const Path temporary = folder.TemporaryRoot(seen.id);
  KINETIC_RETURN_IF_ERROR(fs.Rename(folder.Root(seen.id), temporary));
  KINETIC_RETURN_IF_ERROR(RemoveTree(fs, temporary));
  return true;
}

Result<std::vector<CachedPackageSet>> ListPackageSets(FileSystem& fs, const Path& cache_dir) {
  const EnvironmentCacheLayout folder{cache_dir};
  KINETIC_ASSIGN_OR_RETURN(const auto entries, ReadEntries(fs, folder.PackageSets()));
  std::vector<CachedPackageSet> found;
  for (const auto& entry : entries) {
    const Path root = folder.PackageSets() / entry.name;
    const auto used = LastUseOfSet(fs, root);
    const auto size = TreeSize(fs, root, std::numeric_limits<std::uint64_t>::max());
    if (!used || !size) continue;  // another process is removing it
    found.push_back({.root = root, .last_used = *used, .size_bytes = *size});
  }
  std::ranges::sort(found, {}, &CachedPackageSet::root);
  return found;
}

Result<bool> EvictPackageSet(FileSystem& fs, const Path& cache_dir, const CachedPackageSet& seen) {
  const EnvironmentCacheLayout folder{cache_dir};
  const Path lock = folder.PackageSetsLock();
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, lock.parent_path()));
  KINETIC_ASSIGN_OR_RETURN(auto held, FileLock::Try(fs, lock));
  if (!held) return false;
  const auto used = LastUseOfSet(fs, seen.root);
  if (!used || *used != seen.last_used) return false;
  KINETIC_ASSIGN_OR_RETURN(const bool is_linked, IsLinked(fs, folder, seen.root));
  if (is_linked) return false;
  // Rename first, so that no build finds a partial package set.
  const Path temporary = folder.TemporaryPackageSet();
  KINETIC_RETURN_IF_ERROR(fs.Rename(seen.root, temporary));
  held.reset();
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
