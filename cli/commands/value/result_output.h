#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include <optional>
#include <string>
#include <string_view>

namespace kinetic::cli {

class Command;
struct Context;

/// Options for writing the return value of a function.
struct ValueOptions {
  bool raw = false;                   ///< write a string without quotes
  std::optional<std::string> output;  ///< file to write to; absent: stdout
  bool null_for_none = false;  ///< print "null" for None, one answer for each of several jobs
};

/// Adds --raw and --output.
void AddValueOptions(Command& command, ValueOptions& options);

/// Checks that the value can be written to its destination. Call this before the job runs.
Status CheckValueOptions(const ValueOptions& options);

/// Checks that the job has a value if --output is given.
Status CheckHasValue(const JobSummary& summary, const ValueOptions& options);

/// Writes the answer of a job that has ended: its value to stdout, or the reason for its absence to
/// stderr. With --json, writes the whole outcome.
///
/// @param summary  the job's ID, and whether the job returns a value.
/// @returns        the exit code of the job.
Result<int> WriteResult(const Job& job, const JobSummary& summary, const Outcome& outcome,
                        const ValueOptions& options, Context& context);

/// Writes the content of a "$ref" in a job's value to stdout or to the file.
Status WriteReferencedContent(const Job& job, const std::string& reference,
                              const ValueOptions& options, Context& context);

/// Writes one part of a job's value like a whole value. With --json, writes its document.
Status WritePart(const Job& job, const Value& part, const ValueOptions& options, Context& context);

/// Writes each array of a value to an .npy file in a folder, which is created if there are any, and
/// prints the paths. Files are named by the array's path: "metrics.w.npy"; "value.npy" for the
/// whole value.
Status WriteArrays(const Job& job, const Value& value, const std::string& folder, Context& context);

/// Returns the reason for a job's state, or nothing if it only repeats the state.
std::string_view ReasonFor(JobState state, std::string_view reason);

/// Writes to stderr how an unsuccessful job ended, and the source of its exit code.
void ReportFailure(const Outcome& outcome, Context& context);

}  // namespace kinetic::cli
