#include "http/body.h"

#include "kinetic/try.h"

#include <algorithm>

namespace kinetic::http {

Status BytesBody::Rewind() {
  read_bytes_ = 0;
  return {};
}

Result<std::size_t> BytesBody::Read(std::span<char> buffer) {
  const std::size_t count = std::min(buffer.size(), bytes_.size() - read_bytes_);
  std::copy_n(bytes_.data() + read_bytes_, count, buffer.data());
  read_bytes_ += count;
  return count;
}

Result<std::shared_ptr<FileBody>> FileBody::Open(FileSystem& fs, const Path& path) {
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(path, OpenMode::kRead, 0));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Fstat(fd.get()));
  auto file = std::make_shared<const UniqueFd>(std::move(fd));
  return std::make_shared<FileBody>(fs, std::move(file), 0, status.size_bytes);
}

Status FileBody::Rewind() {
  at_ = begin_;
  return {};
}

Result<std::size_t> FileBody::Read(std::span<char> buffer) {
  const auto wanted = std::min<std::uint64_t>(buffer.size(), end_ - at_);
  auto count = fs_->ReadAt(file_->get(), buffer.first(wanted), at_);
  if (count) at_ += *count;
  return count;
}

}  // namespace kinetic::http
