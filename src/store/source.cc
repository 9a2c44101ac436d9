#include "store/source.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "gcs/object.h"

#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

namespace kinetic::store {
namespace {

/// Returns whether a range of a sparse file has no data, which then need not be read.
bool IsHole(int fd, std::uint64_t offset, std::size_t size) {
  const off_t data = ::lseek(fd, static_cast<off_t>(offset), SEEK_DATA);
  const off_t end = data < 0 && errno == ENXIO ? ::lseek(fd, 0, SEEK_END) : data;
  return end >= 0 && static_cast<std::uint64_t>(end) >= offset + size;
}

}  // namespace

Status BytesSource::Rewind() {
  next_ = 0;
  return {};
}

Result<std::string_view> BytesSource::Next() {
  while (next_ < pieces_.size()) {
    const std::string_view piece = pieces_.at(next_++);
    if (!piece.empty()) return piece;
  }
  return std::string_view();
}

Result<FileSource> FileSource::Open(FileSystem& fs, const Path& path) {
  KINETIC_ASSIGN_OR_RETURN(UniqueFd fd, fs.Open(path, OpenMode::kRead, 0));
  KINETIC_ASSIGN_OR_RETURN(const FileStatus status, fs.Fstat(fd.get()));
  if (status.type != FileType::kRegular) {
    return Fail(ErrorCode::kFailedPrecondition,
                "opening " + Printable(path.native()) + ": it is not a file");
  }
  return FileSource({&fs, std::make_shared<const UniqueFd>(std::move(fd))}, status);
}

Status FileSource::Rewind() {
  offset_ = 0;
  return {};
}

Result<std::string_view> FileSource::Next() {
  buffer_.resize(256U << 10);
  if (offset_ + buffer_.size() <= status_.size_bytes &&
      IsHole(file_.fd->get(), offset_, buffer_.size())) {
    static const std::string zeros(buffer_.size(), '\0');
    offset_ += zeros.size();
    return zeros;
  }
  KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                           file_.fs->ReadAt(file_.fd->get(), buffer_, offset_));
  offset_ += count;
  return std::string_view(buffer_.data(), count);
}

std::string FileSource::identity() const { return gcs::FileFingerprint(status_); }

}  // namespace kinetic::store
