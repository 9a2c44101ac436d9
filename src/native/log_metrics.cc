#include "kinetic/job_context.h"
#include "kinetic/try.h"

#include "base/files/file_system.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <string>
#include <string_view>

namespace kinetic::inline v0 {
namespace {

/// Writes all of a text, also to a pipe that does not block.
Status WriteAll(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno == EAGAIN) {
      pollfd ready{.fd = fd, .events = POLLOUT, .revents = 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return Failure(ErrnoError(errno, "writing metrics to", "the standard output"));
    }
  }
  return {};
}

}  // namespace

Status LogMetrics(const Metrics& numbers) {
  static std::mutex mutex;
  KINETIC_ASSIGN_OR_RETURN(const std::string line, FormatMetrics(numbers));
  const std::lock_guard lock(mutex);
  std::cout.flush();
  std::fflush(stdout);
  // One write if possible, so that lines of several processes are not mixed.
  return WriteAll(STDOUT_FILENO, line + "\n");
}

}  // namespace kinetic::inline v0
