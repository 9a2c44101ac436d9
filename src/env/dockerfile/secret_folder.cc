#include "kinetic/try.h"

#include "env/dockerfile/engine_logins.h"

#include <utility>

namespace kinetic::env {
namespace {

constexpr std::string_view kFolder = "secrets";
constexpr std::string_view kLockFile = ".lock";

/// Removes folders that no process holds. Errors are ignored.
void RemoveAbandoned(FileSystem& fs, const Path& parent) {
  const auto entries = fs.ReadDirectory(parent);
  if (!entries) return;
  for (const auto& entry : *entries) {
    if (entry.type != FileType::kDirectory) continue;
    const Path folder = parent / entry.name;
    const auto held = FileLock::Try(fs, folder / kLockFile);
    if (held && *held) (void)RemoveTree(fs, folder);
  }
}

}  // namespace

Result<SecretFolder> SecretFolder::Create(const ToolOptions& tools, std::stop_token stop) {
  FileSystem& fs = *tools.fs;
  const Path parent = tools.cache_dir / kFolder;
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, parent, 0700));
  // Prevents RemoveAbandoned from removing a folder that is not locked yet.
  KINETIC_ASSIGN_OR_RETURN(const FileLock making,
                           FileLock::Acquire(fs, parent / kLockFile, {.stop = std::move(stop)}));
  RemoveAbandoned(fs, parent);
  KINETIC_ASSIGN_OR_RETURN(TempDir folder, TempDir::Make(fs, parent, "of-"));
  KINETIC_ASSIGN_OR_RETURN(auto lock, FileLock::Try(fs, folder.path() / kLockFile));
  if (!lock) return Fail(ErrorCode::kAborted, "locking " + folder.path().native());
  return SecretFolder(fs, *std::move(lock), std::move(folder));
}

Result<Path> SecretFolder::Write(std::string_view name, std::string_view content) const {
  Path file = path() / name;
  KINETIC_ASSIGN_OR_RETURN(const UniqueFd fd, fs_->Open(file, OpenMode::kCreateNew, 0600));
  KINETIC_RETURN_IF_ERROR(fs_->Write(fd.get(), content));
  return file;
}

}  // namespace kinetic::env
