#include "settings/regular_file.h"

#include "settings/system_cause.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace kinetic::settings {
namespace {

ErrorCode CodeOf(int error) {
  if (error == ENOENT) return ErrorCode::kNotFound;
  if (error == EACCES || error == EPERM) return ErrorCode::kPermissionDenied;
  return ErrorCode::kInvalidArgument;
}

Failure ReadFailure(const std::string& named) {
  const int error = errno;
  return Fail(CodeOf(error), fmt::format("cannot read {}: {}", named, SystemCause(error)));
}

Status CheckRegular(int fd, const std::string& named) {
  struct stat status{};
  if (::fstat(fd, &status) != 0) return ReadFailure(named);
  if (S_ISREG(status.st_mode)) return {};
  if (S_ISDIR(status.st_mode))
    return Fail(ErrorCode::kInvalidArgument, fmt::format("cannot read {}: it is a folder", named));
  return Fail(ErrorCode::kInvalidArgument,
              fmt::format("cannot read {}: it is not a regular file", named),
              "write its content to a file, and pass that file");
}

Result<std::string> ReadUpTo(int fd, const std::string& named, std::size_t limit_bytes) {
  constexpr std::size_t kPieceBytes = 64U << 10;
  std::string text;
  for (std::size_t used = 0;;) {
    text.resize(std::min(used + kPieceBytes, limit_bytes));
    const ssize_t count = ::read(fd, text.data() + used, text.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return ReadFailure(named);
    used += static_cast<std::size_t>(count);
    if (count > 0 && used < limit_bytes) continue;
    text.resize(used);
    return text;
  }
}

}  // namespace

Result<std::string> ReadRegularFile(const std::filesystem::path& path, const std::string& named,
                                    std::size_t limit_bytes) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return ReadFailure(named);
  const Status regular = CheckRegular(fd, named);
  auto text =
      regular ? ReadUpTo(fd, named, limit_bytes) : Result<std::string>(Failure(regular.error()));
  ::close(fd);
  return text;
}

}  // namespace kinetic::settings
