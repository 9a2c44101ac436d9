#include "runner/diagnostics.h"

#include "base/clock.h"
#include "base/time.h"

#include <climits>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <string>

namespace kinetic::runner {

namespace {

constexpr int kPatienceMs = 200;

std::string_view g_prefix;

}  // namespace

void MarkDiagnostics(std::string_view prefix) { g_prefix = prefix; }

void Diagnose(std::string_view message) {
  std::string line(g_prefix);
  line += FormatTime(SystemClock().Now());
  line += ' ';
  const std::size_t begin = line.size();
  line += message;
  std::replace(line.begin() + static_cast<std::ptrdiff_t>(begin), line.end(), '\n', ' ');
  line.resize(std::min<std::size_t>(line.size(), PIPE_BUF - 1));
  line += '\n';
  // Nobody may read it; a pipe that takes anything takes a line of this length.
  pollfd polled{STDERR_FILENO, POLLOUT, 0};
  if (::poll(&polled, 1, kPatienceMs) > 0) (void)!::write(STDERR_FILENO, line.data(), line.size());
}

void DiagnoseError(std::string_view what, const Status& status) {
  if (status) return;
  Diagnose(std::string(what) + ": " + status.error().message);
}

}  // namespace kinetic::runner
