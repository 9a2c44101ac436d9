#pragma once

#include "kinetic/job.h"
#include "kinetic/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// How the collector prints a job's log for kinetic's clients, and how they read it. Kubernetes
/// merges streams, cuts logs and takes old ones away; because each line says which record it is, a
/// reader always knows what it has and what it lacks.
///
///   {sequence} {attempt} {o|e|s}{n|r|c|-} {microseconds since 1970} {text}
///   end {nonce} {outcome} {sha256 of result.json, or -}
///   # {a diagnostic of the collector's own}
///
/// The second letter is how the record ended: with a line feed, a carriage return, both, or in the
/// midst of a line. Where the first letter is large, the line holds several records that follow
/// each other and have the same stream, end and time, a carriage return between their texts: what a
/// log costs on its way through a node and an API server is by the line.
namespace kinetic::pod {

/// The longest line that is made of several records: container runtimes cut what is longer than 16
/// KiB.
inline constexpr std::size_t kSharedLineBytes = 16'000;

/// Writes records as lines.
///
/// @threads  one thread at a time.
class LogLineWriter {
 public:
  /// Appends a record, where it may be to the line that was appended last: `out` is empty, or ends
  /// as it was left. The record's text holds no line feed but at its end.
  void Append(std::string& out, const LogRecord& record);

 private:
  bool MayShare(const std::string& out, const LogRecord& record, std::string_view body,
                std::string_view end) const;

  LogRecord last_;                ///< its text is gone
  std::string_view end_;          ///< of the last one
  bool may_share_ = false;        ///< the last one is no line of its own
  std::size_t line_ = 0;          ///< where in `out` the last line begins
  std::size_t letter_ = 0;        ///< and where it says of which stream it is
  std::size_t written_size_ = 0;  ///< of `out`, when the last one had been appended
};

/// The last line: the outcome is in the store. `outcome` is a JobState's name, or "unknown" when
/// the program was killed together with its launcher.
struct EndLine {
  std::string nonce;
  std::string outcome;
  std::string result_sha256;  ///< "-": no result was stored
};

void AppendEndLine(std::string& out, const EndLine& end);

/// Reads what a LogLineWriter wrote.
///
/// @threads  one thread at a time.
class LogLineReader {
 public:
  /// Reads one line, without its line feed: `each` gets its records, with the ends that they had.
  /// What is no record is passed over.
  ///
  /// @returns  the end, if the line is that.
  /// @errors   those of `each`.
  Result<std::optional<EndLine>> Read(std::string_view line, const LogReader& each);

 private:
  std::string text_;
};

}  // namespace kinetic::pod
