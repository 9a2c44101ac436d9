#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"

#include "commands/answer.h"
#include "output/output.h"

namespace kinetic::cli {

struct Context;

struct FollowOptions {
  LogOptions log;
  bool cancel_on_interrupt = false;
  AnswerOptions answer;
};

/// Shows a job's output until it ends, and gives its answer. `run:` jobs have their streams as they
/// are; all output of a `function:` job goes to stderr. Ctrl-C leaves the job alone (130), or
/// cancels it.
///
/// @param progress  the display that the submission began; it ends before the answer is given.
Result<int> Follow(const Job& job, const FollowOptions& options, std::unique_ptr<Progress> progress,
                   Context& context);

}  // namespace kinetic::cli
