#include "store/temporary_file.h"

#include "base/random.h"
#include "base/try.h"
#include "store/sharing.h"

namespace kinetic::store {

Result<TemporaryFile> TemporaryFile::Make(FileSystem& fs, const Path& folder) {
  Path path = folder / RandomId();
  const Sharing sharing = Sharing::Of(fs, folder.parent_path());
  auto fd = fs.Open(path, OpenMode::kCreateNew, 0644);
  if (!fd && fd.error().code == ErrorCode::kNotFound) {
    KINETIC_RETURN_IF_ERROR(sharing.MakeFolder(fs, folder));
    fd = fs.Open(path, OpenMode::kCreateNew, 0644);
  }
  if (!fd) return Failure(std::move(fd).error());
  TemporaryFile file(fs, std::move(path), *std::move(fd));
  KINETIC_RETURN_IF_ERROR(sharing.OnFile(fs, file.path()));
  return file;
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : fs_(other.fs_), path_(std::exchange(other.path_, Path())), fd_(std::move(other.fd_)) {}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) (void)fs_->Unlink(path_);
}

Status TemporaryFile::Finish(WallTime modified) {
  KINETIC_RETURN_IF_ERROR(fs_->SetModifiedTime(path_, modified));
  return fs_->Sync(fd_.get());
}

}  // namespace kinetic::store
