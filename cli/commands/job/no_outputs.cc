#include "commands/job/no_outputs.h"

#include "context.h"

#include <fmt/format.h>

namespace kinetic::cli {

void NoteNoOutputs(const Job& job, const Context& context) {
  const auto summary = job.Summary(context.stop);
  const bool may_follow = summary && !IsTerminal(summary->state);
  context.output.Note(may_follow ? fmt::format("job {} is {} and has not stored outputs yet",
                                               job.id(), Name(summary->state))
                                 : fmt::format("job {} has no outputs", job.id()));
}

}  // namespace kinetic::cli
