#include "kinetic/job_context.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

namespace kinetic::inline v0 {

void LogMetrics(const Metrics& numbers) {
  const std::string line = FormatMetrics(numbers) + "\n";
  std::cout.flush();
  std::fflush(stdout);
  // One write, so that lines of several threads and processes are not mixed.
  for (std::string_view left = line; !left.empty();) {
    const ssize_t written = ::write(STDOUT_FILENO, left.data(), left.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) left.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace kinetic::inline v0
