#include "base/files/copy_content.h"

#include "kinetic/try.h"

#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace kinetic {
namespace {

/// A part of a file, without holes.
struct FilePart {
  off_t begin;
  off_t end;
};

/// Returns the part after `begin`. On file systems that report no holes, it is the rest.
FilePart NextPart(int fd, off_t begin, off_t size) {
  const off_t data = ::lseek(fd, begin, SEEK_DATA);
  if (data < 0) return errno == ENXIO ? FilePart{size, size} : FilePart{begin, size};
  const off_t hole = ::lseek(fd, data, SEEK_HOLE);
  return {std::min(data, size), hole < 0 ? size : std::min(hole, size)};
}

Status CopyThroughMemory(FileSystem& fs, int from, int to, const FilePart& part,
                         const std::stop_token& stop) {
  constexpr off_t kBufferBytes = 1 << 20;
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBufferBytes);
  for (off_t at = part.begin; at < part.end;) {
    if (stop.stop_requested()) return Fail(ErrorCode::kCancelled, "stopped while copying a file");
    const auto wanted = static_cast<std::size_t>(std::min(kBufferBytes, part.end - at));
    const auto offset = static_cast<std::uint64_t>(at);
    KINETIC_ASSIGN_OR_RETURN(const std::size_t count,
                             fs.ReadAt(from, {buffer.get(), wanted}, offset));
    if (count == 0) return {};  // the file has become shorter
    KINETIC_RETURN_IF_ERROR(fs.WriteAt(to, {buffer.get(), count}, offset));
    at += static_cast<off_t>(count);
  }
  return {};
}

/// Copies in the kernel. If that fails, copies the rest through memory, which finds the same error.
Status CopyPart(FileSystem& fs, int from, int to, const FilePart& part,
                const std::stop_token& stop) {
  constexpr off_t kStepBytes = 16 << 20;
  off_t source = part.begin;
  off_t target = part.begin;
  while (source < part.end && !stop.stop_requested()) {
    const auto wanted = static_cast<std::size_t>(std::min(kStepBytes, part.end - source));
    if (::copy_file_range(from, &source, to, &target, wanted, 0) <= 0) break;
  }
  return CopyThroughMemory(fs, from, to, {source, part.end}, stop);
}

}  // namespace

bool ShareContent(int from, int to) { return ::ioctl(to, FICLONE, from) == 0; }

Status CopyContent(FileSystem& fs, int from, int to, std::uint64_t size_bytes,
                   const std::stop_token& stop) {
  if (ShareContent(from, to)) return {};
  const auto size = static_cast<off_t>(size_bytes);
  for (FilePart part{0, 0}; part.end < size;) {
    part = NextPart(from, part.end, size);
    if (part.begin == size) return fs.Truncate(to, size_bytes);
    KINETIC_RETURN_IF_ERROR(CopyPart(fs, from, to, part, stop));
  }
  return {};
}

}  // namespace kinetic
