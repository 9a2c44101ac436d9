#include "store/sources.h"

#include "base/try.h"

#include <utility>

namespace kinetic::store {

Status BytesSource::Rewind() {
  given_ = false;
  return {};
}

Result<std::string_view> BytesSource::Next() {
  if (std::exchange(given_, true)) return std::string_view();
  return bytes_;
}

Result<FileSource> FileSource::Open(FileSystem& fs, const Path& path) {
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(path, OpenMode::kRead, 0));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.StatusOf(fd.get()));
  return FileSource(fs, std::move(fd), status.size_bytes);
}

Status FileSource::Rewind() {
  offset_ = 0;
  return {};
}

Result<std::string_view> FileSource::Next() {
  buffer_.resize(256U << 10);
  KINETIC_ASSIGN_OR_RETURN(const std::size_t count, fs_->ReadAt(fd_.get(), buffer_, offset_));
  offset_ += count;
  return std::string_view(buffer_.data(), count);
}

}  // namespace kinetic::store
