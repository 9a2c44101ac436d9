#include "runner/diagnostics.h"

#include "base/clock.h"
#include "base/time.h"

#include <unistd.h>

#include <string>

namespace kinetic::runner {

void Diagnose(std::string_view message) {
  std::string line = FormatTime(SystemClock().Now());
  line += ' ';
  line += message;
  line += '\n';
  (void)!::write(STDERR_FILENO, line.data(), line.size());
}

void DiagnoseError(std::string_view what, const Status& status) {
  if (status) return;
  Diagnose(std::string(what) + ": " + status.error().message);
}

}  // namespace kinetic::runner
