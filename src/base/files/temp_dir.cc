#include "base/files/temp_dir.h"

#include "kinetic/try.h"

#include "base/random.h"

namespace kinetic {

Result<TempDir> TempDir::Make(FileSystem& fs, const Path& parent, std::string_view prefix) {
  KINETIC_RETURN_IF_ERROR(MakeDirectories(fs, parent));
  Path path = parent / (std::string(prefix) + RandomId());
  KINETIC_RETURN_IF_ERROR(fs.MakeDirectory(path, 0700));
  return TempDir(fs, std::move(path));
}

TempDir::TempDir(TempDir&& other) noexcept
    : fs_(other.fs_), path_(std::exchange(other.path_, Path())) {}

TempDir::~TempDir() {
  if (!path_.empty()) (void)RemoveTree(*fs_, path_);
}

Path TempDir::Release() { return std::exchange(path_, Path()); }

}  // namespace kinetic
