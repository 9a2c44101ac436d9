#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "output/base.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::cli {

class Command;
struct Context;

/// Options for writing the return value of a function.
struct ValueOptions {
  bool raw = false;                   ///< write a string without quotes
  std::optional<std::string> output;  ///< file to write to; absent: stdout
};

/// Adds --raw and --output.
void AddValueOptions(Command& command, ValueOptions& options);

/// Checks that the value can be written to its destination. Call this before the job runs.
Status CheckValueOptions(const ValueOptions& options);

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
/// prints the paths. Files are named by the array's path: "metrics.w.npy"; "value.npy" for the whole
/// value.
Status WriteArrays(const Job& job, const Value& value, const std::string& folder, Context& context);

/// Writes to stderr how an unsuccessful job ended, and the source of its exit code.
void ReportFailure(const JobSummary& summary, const Outcome& outcome, Context& context);

using ContentSink = std::function<Status(std::string_view)>;

/// Writes the raw content of a value of type bytes or array (as .npy) to `sink`.
///
/// @returns  false, and writes nothing, for any other value.
/// @errors   kDataLoss: the stored data does not match its digest, or is not base64 · errors of
///          `sink`.
Result<bool> ReadContent(const Job& job, const Value& value, const ContentSink& sink,
                         std::stop_token stop);

/// Decodes RFC 4648 base64 with padding. Returns nullopt if the text is not valid base64.
std::optional<std::string> DecodeBase64(std::string_view text);

struct Context;

struct FollowOptions {
  LogOptions log;
  bool cancel_on_interrupt = false;
  ValueOptions answer;
};

/// Shows a job's output until the job ends, and writes its answer. Output of `run:` jobs goes to
/// the stream of the same name. All output of a `function:` job goes to stderr. Ctrl-C detaches
/// from the job (exit code 130) or cancels it, depending on the options.
///
/// @param progress  the display that the submission started; it ends before the answer is written.
Result<int> Follow(const Job& job, const FollowOptions& options, std::unique_ptr<Progress> progress,
                   Context& context);

}  // namespace kinetic::cli
