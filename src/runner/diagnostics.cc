#include "runner/diagnostics.h"

#include "base/files/file_system.h"
#include "base/files/unique_fd.h"
#include "base/time/clock.h"
#include "pod/outcome.h"

#include <climits>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace kinetic::runner {
namespace {

constexpr int kTimeoutMs = 200;

std::string_view g_prefix;

}  // namespace

void SetDiagnosticPrefix(std::string_view prefix) { g_prefix = prefix; }

void LogDiagnostic(std::string_view message) {
  std::string line(g_prefix);
  line += FormatTime(SystemClock().Now());
  line += ' ';
  const std::size_t begin = line.size();
  line += message;
  std::replace(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), '\n', ' ');
  line.resize(std::min<std::size_t>(line.size(), PIPE_BUF - 1));
  line += '\n';
  // A writable pipe accepts PIPE_BUF bytes without blocking.
  pollfd polled{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&polled, 1, kTimeoutMs) > 0) (void)!::write(STDERR_FILENO, line.data(), line.size());
}

void LogFailure(std::string_view action, const Status& status) {
  if (status) return;
  LogDiagnostic(std::string(action) + ": " + status.error().message);
}

void WriteTerminationMessage(std::string_view message) {
  const UniqueFd file(
      ::open(std::string(pod::kTerminationFile).c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC));
  if (file) (void)PosixFileSystem().Write(file.get(), message.substr(0, pod::kTerminationBytes));
}

}  // namespace kinetic::runner
