#pragma once

#include "kinetic/client.h"
#include "kinetic/result.h"

#include "commands/job/follow.h"
#include "output/base.h"

#include <memory>
#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

/// The options of commands that submit a job and follow it.
struct SubmissionOptions {
  std::optional<std::string> id;
  bool detach = false;
  FollowOptions follow;
};

/// Adds --detach, --id, --cancel-on-interrupt, --raw and --output.
void AddSubmissionOptions(Command& command, SubmissionOptions& options);

/// Rejects mutually exclusive options.
Status CheckSubmissionOptions(const SubmissionOptions& options);

/// Returns the error of a failed submission, which may have been interrupted.
Failure SubmitError(const Error& error, const Context& context);

/// Prints the ID of a submitted job, or follows the job to its end.
///
/// @param name      of the job, for `--json`.
/// @param progress  the display of the submission.
/// @returns         the exit code of the command.
Result<int> FinishSubmission(const Job& job, const std::string& name,
                             const SubmissionOptions& options, std::unique_ptr<Progress> progress,
                             Context& context);

}  // namespace kinetic::cli
