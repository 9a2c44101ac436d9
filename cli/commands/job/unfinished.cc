#include "commands/job/unfinished.h"

#include "kinetic/tasks.h"

#include "commands/tasks/task_option.h"
#include "output/text.h"

#include <fmt/format.h>

namespace kinetic::cli {

Error NotFinished(const JobSummary& summary) {
  const std::string reason =
      summary.reason.empty() ? "" : fmt::format(" ({})", SafeLine(summary.reason));
  const auto task = FindTaskReference(summary.id);
  return {ErrorCode::kFailedPrecondition,
          fmt::format("job {} has not finished: its state is {}{}", ShownId(summary.id),
                      Name(summary.state), reason),
          fmt::format("wait for it: kinetic wait {}", task ? task->job : summary.id),
          {}};
}

}  // namespace kinetic::cli
