#include "env/virtualenv/seal.h"

#include "kinetic/try.h"

#include "base/concurrency/parallel.h"
#include "env/install/record_file.h"
#include "env/install/wheel_layout.h"
#include "env/virtualenv/compiled_modules.h"
#include "env/virtualenv/package_set.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kinetic::env {
namespace {

/// The modification time of every folder in a sealed environment. Adding, removing or replacing a
/// file changes the time of its folder. In whole seconds, so that archives preserve it.
constexpr WallTime kSealedTime{std::chrono::seconds(315'532'800)};  // 1980

/// Compares the files of an environment with the RECORD of each package.
class Verifier {
 public:
  Verifier(FileSystem& fs, Path packages) : fs_(fs), packages_(std::move(packages)) {}

  Result<std::string> FindDamage() {
    KINETIC_ASSIGN_OR_RETURN(std::string damage, ReadRecords());
    if (!damage.empty()) return damage;
    for (const auto& [path, sums] : recorded_) {
      const auto found = HashAndSize(fs_, path);
      if (!found && found.error().code != ErrorCode::kNotFound) return Failure(found.error());
      if (!found) return path.native() + " was removed";
      if (!sums.contains("") && !sums.contains(*found)) return path.native() + " was changed";
    }
    return FindAdded(packages_);
  }

 private:
  /// Returns the first package without a RECORD, or an empty string.
  Result<std::string> ReadRecords() {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(packages_));
    for (const auto& entry : entries) {
      if (!entry.name.ends_with(kMetadataFolderEnd)) continue;
      const Path info = packages_ / entry.name;
      auto files = ReadRecordFile(fs_, info);
      if (!files && files.error().code == ErrorCode::kNotFound) {
        return (info / "RECORD").native() + " was removed";
      }
      KINETIC_RETURN_IF_ERROR(files);
      for (auto& [path, sum] : *files) {
        if (path.find(kCompiledFolder) != std::string::npos) continue;  // Python may replace it
        recorded_[(packages_ / path).lexically_normal()].insert(std::move(sum));
      }
    }
    return std::string();
  }

  /// Reports additional files only in changed folders, because some wheels do not list all of their
  /// files. Ignores compiled modules, which Python adds.
  Result<std::string> FindAdded(const Path& folder) {
    KINETIC_ASSIGN_OR_RETURN(const auto entries, fs_.ReadDirectory(folder));
    const bool is_changed = !HasSealedTime(fs_, folder);
    for (const auto& entry : entries) {
      const Path path = folder / entry.name;
      if (entry.name == kCompiledFolder) continue;
      if (IsFolder(entry, path)) {
        KINETIC_ASSIGN_OR_RETURN(std::string damage, FindAdded(path));
        if (!damage.empty()) return damage;
      } else if (is_changed && !recorded_.contains(path)) {
        return path.native() + " was added";
      }
    }
    return std::string();
  }

  /// Environments link to folders of package sets.
  static bool IsFolder(const DirectoryEntry& entry, const Path& path) {
    std::error_code failed;
    return entry.type == FileType::kDirectory ||
           (entry.type == FileType::kSymlink && std::filesystem::is_directory(path, failed));
  }

  FileSystem& fs_;
  const Path packages_;
  /// Hash and size by path, or "". Packages with different files of one path replace each other's.
  std::map<Path, std::set<std::string>> recorded_;
};

/// A folder below an environment.
struct Folder {
  Path path;
  std::vector<DirectoryEntry> entries;
};

Status ListFolders(FileSystem& fs, const Path& root, const Path& path,
                   std::vector<Folder>& folders) {
  KINETIC_ASSIGN_OR_RETURN(auto entries, fs.ReadDirectory(root / path));
  for (const auto& entry : entries) {
    if (entry.type != FileType::kDirectory || entry.name == kCompiledFolder) continue;
    KINETIC_RETURN_IF_ERROR(ListFolders(fs, root, path / entry.name, folders));
  }
  folders.push_back({path, std::move(entries)});
  return {};
}

Status SealFolder(FileSystem& fs, const Path& folder, std::span<const DirectoryEntry> entries) {
  std::vector<std::string> files;
  for (const auto& entry : entries) {
    if (entry.type == FileType::kRegular) files.push_back(entry.name);
  }
  KINETIC_ASSIGN_OR_RETURN(const auto states, fs.LstatAll(folder, files));
  for (std::size_t i = 0; i < files.size(); ++i) {
    // Other links are in uv's cache and in environments of other projects.
    if (!states[i] || states[i]->links > 1) continue;
    KINETIC_RETURN_IF_ERROR(fs.SetMode(folder / files[i], states[i]->mode & 0555U));
  }
  KINETIC_RETURN_IF_ERROR(fs.SetModifiedTime(folder, kSealedTime));
  return fs.SetMode(folder, 0555);
}

}  // namespace

Status SealEnvironment(FileSystem& fs, const Path& root, std::span<const Path> others) {
  std::vector<Folder> folders;
  KINETIC_RETURN_IF_ERROR(ListFolders(fs, root, {}, folders));
  // TensorFlow has thousands of folders.
  return ParallelFor(ProcessorCount(), folders.size(), {},
                     [&](std::size_t i, std::stop_token) -> Status {
                       const auto& [path, entries] = folders[i];
                       KINETIC_RETURN_IF_ERROR(AddCompiledModules(fs, root, path, entries, others));
                       return SealFolder(fs, root / path, entries);
                     });
}

bool HasSealedTime(FileSystem& fs, const Path& folder) {
  const auto status = fs.Lstat(folder / "");
  return status && std::chrono::nanoseconds(status->mtime_ns) == kSealedTime.time_since_epoch();
}

bool IsSealed(FileSystem& fs, const Path& root, std::string_view python) {
  const auto is_sealed = [&](const Path& folder) {
    return HasSealedTime(fs, folder) && HasSealedTime(fs, folder / "bin") &&
           HasSealedTime(fs, folder / PackagesFolder(python));
  };
  if (!is_sealed(root)) return false;
  const auto sets = LinkedPackageSets(fs, root);
  return sets && std::ranges::all_of(*sets, is_sealed);
}

std::string FindDamage(FileSystem& fs, const CachedEnvironment& environment) {
  const Path& root = environment.root;
  if (!IsSealed(fs, root, environment.python)) return root.native() + " was changed";
  const auto damage = Verifier(fs, root / PackagesFolder(environment.python)).FindDamage();
  return damage ? *damage : damage.error().message;
}

std::string FindVisibleDamage(FileSystem& fs, const CachedEnvironment& environment) {
  if (!environment.damage.empty()) return environment.damage;
  const Path& root = environment.root;
  std::error_code failed;
  if (!std::filesystem::exists(root / "bin/python", failed)) return "its Python was removed";
  return IsSealed(fs, root, environment.python) ? std::string() : root.native() + " was changed";
}

Status Unseal(FileSystem& fs, const CachedEnvironment& environment, WallTime now) {
  KINETIC_RETURN_IF_ERROR(fs.SetModifiedTime(environment.root, now));
  for (const Path& set : environment.package_sets) {
    const Status unsealed = fs.SetModifiedTime(set, now);
    if (!unsealed && unsealed.error().code != ErrorCode::kNotFound) return unsealed;
  }
  return {};
}

}  // namespace kinetic::env
