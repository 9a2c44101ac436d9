#include "commands/job/unfinished.h"

#include "commands/tasks/task_option.h"
#include "output/text.h"

#include <fmt/format.h>

namespace kinetic::cli {

Error NotFinished(const JobSummary& summary) {
  const std::string reason =
      summary.reason.empty() ? "" : fmt::format(" ({})", SafeLine(summary.reason));
  return {ErrorCode::kFailedPrecondition,
          fmt::format("job {} has not finished: its state is {}{}", ShownId(summary.id),
                      Name(summary.state), reason),
          fmt::format("wait for it: kinetic wait {}", SplitId(summary.id).job),
          {}};
}

}  // namespace kinetic::cli
