#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"

#include "commands/value/result_output.h"
#include "output/base.h"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kinetic::cli {

struct Context;

struct FollowOptions {
  LogOptions log;
  bool cancel_on_interrupt = false;
  ValueOptions answer;
  std::optional<double> price_per_hour = {};  ///< in US dollars; nullopt: unknown
  /// A job that was created earlier is reported as existing.
  std::optional<std::chrono::system_clock::time_point> submission_begun = {};
  /// Returns advice on the outcome, shown after it.
  std::function<std::optional<std::string>(const Outcome& outcome)> advise = {};
};

/// Shows a job's output until the job ends, and writes its answer. Output of `run:` jobs goes to
/// the stream of the same name. All output of a `function:` job goes to stderr. Ctrl-C detaches
/// from the job (exit code 130) or cancels it, depending on the options.
///
/// @param progress  the display that the submission started; it ends before the answer is written.
Result<int> Follow(const Job& job, const FollowOptions& options, std::unique_ptr<Progress> progress,
                   Context& context);

}  // namespace kinetic::cli
