#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"

#include <optional>
#include <string>

namespace kinetic::cli {

class Command;
struct Context;

/// How the value that a function returned is given.
struct AnswerOptions {
  bool raw = false;                   ///< a string without quotes
  std::optional<std::string> output;  ///< a file
};

/// Adds --raw and --output.
void AddAnswerOptions(Command& command, AnswerOptions& options);

/// Whether the value can be written where it is to go: asked before a job runs, not after.
Status CheckAnswerOptions(const AnswerOptions& options);

/// Gives the answer of a job that has ended: its value on stdout, or why there is none on stderr;
/// as JSON the whole outcome.
///
/// @param summary  of the job: its id, and whether it is one that returns a value.
/// @returns        the exit code of the job.
Result<int> GiveAnswer(const Job& job, const JobSummary& summary, const Outcome& outcome,
                       const AnswerOptions& options, Context& context);

/// Gives the content that a "$ref" in the value of a job names, on stdout or to the file.
Status GiveStored(const Job& job, const std::string& reference, const AnswerOptions& options,
                  Context& context);

/// Says on stderr how a job ended that did not succeed, and where its exit code comes from.
void ExplainEnd(const JobSummary& summary, const Outcome& outcome, Context& context);

}  // namespace kinetic::cli
