#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// The format of a job's log in a pod's log. Kubernetes merges streams, splits lines and rotates
/// logs. Each line has a sequence number, so that readers detect duplicate and missing records.
///
///   {sequence} {attempt} {o|e|s}{n|r|c|-} {microseconds since 1970} {text}
///   end {nonce} {outcome} {sha256 of result.json, or -}
///   # {a diagnostic of the collector}
///
/// The second letter is the record's line ending: line feed (n), carriage return (r), both (c), or
/// none (-). If the first letter is a capital, the line has several consecutive records with the
/// same stream, ending and time, separated by carriage returns: nodes and API servers limit lines
/// per second.
namespace kinetic::pod {

/// The maximum length of a line with several records. Container runtimes split lines above 16 KiB.
inline constexpr std::size_t kSharedLineBytes = 16'000;

/// Writes log records as lines.
///
/// @threads  one thread at a time.
class LogLineWriter {
 public:
  /// Appends a record, if possible to the last line. `out` must be empty or end with the last line.
  /// The record's text must have no line feed except at its end.
  void Append(std::string& out, const LogRecord& record);

 private:
  bool MayShare(const std::string& out, const LogRecord& record, std::string_view body,
                std::string_view end) const;

  LogRecord last_;                ///< without its text
  std::string_view end_;          ///< of the last record
  bool may_share_ = false;        ///< the last line can have more records
  std::size_t line_ = 0;          ///< offset of the last line in `out`
  std::size_t letter_ = 0;        ///< offset of its stream letter
  std::size_t written_size_ = 0;  ///< of `out` after the last record
};

/// The last line, written after the outcome was stored. `outcome` is the name of a JobState, or
/// "unknown" if the program was killed together with its launcher.
struct EndLine {
  std::string nonce;
  std::string outcome;
  std::string result_sha256;  ///< "-" if no result was stored
};

void AppendEndLine(std::string& out, const EndLine& end);

/// Reads what a LogLineWriter wrote.
///
/// @threads  one thread at a time.
class LogLineReader {
 public:
  /// Parses one line without its line feed, and passes its records with their endings to `each`.
  /// Ignores other lines.
  ///
  /// @returns  the end line, if it is one.
  /// @errors   those of `each`.
  Result<std::optional<EndLine>> Read(std::string_view line, const LogRecordSink& each);

 private:
  std::string text_;
};

}  // namespace kinetic::pod
