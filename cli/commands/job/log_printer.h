#pragma once

#include "kinetic/job.h"
#include "kinetic/log_record.h"
#include "kinetic/metrics.h"
#include "kinetic/result.h"

#include "output/metrics_line.h"
#include "output/text.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::cli {

struct Context;
class Output;

/// How the records of a log are printed.
struct LogLineOptions {
  bool timestamps = false;
  bool raw = false;                   ///< control characters reach a terminal unchanged
  std::optional<std::string> stream;  ///< the only stream to print
  bool brief_metrics = false;         ///< at most one line per second instead of the logged lines
};

/// Writes the records of one job as lines, or as JSON lines.
class LogPrinter {
 public:
  /// @param label  begins each line of one of several jobs or tasks; empty: the only one.
  LogPrinter(const Job& job, std::string label, LogLineOptions options, const Context& context);

  bool IsWanted(const LogRecord& record) const;
  Status Print(const LogRecord& record);
  bool IsLabelled() const { return !label_.empty(); }
  /// Returns whether no record was printed.
  bool IsEmpty() const { return is_empty_; }
  /// Writes the last metrics, and an unfinished last line of one of several jobs.
  void Finish();

 private:
  std::string Prefix(const LogRecord& record) const;
  /// Writes a message of kinetic in the log.
  void WriteMessage(const LogRecord& record);
  void Write(const LogRecord& record);
  /// Adds metrics, and prints them if that is due.
  void WriteMetrics(const Metrics& numbers, const LogRecord& record);
  void PrintMetrics();
  /// On a terminal, ends an unfinished line of the other stream, such as a progress bar, which a line
  /// of this one would overwrite.
  void EndOtherLine(const LogRecord& record);
  void WriteDocument(const LogRecord& record);
  void Flush(std::string_view end);

  const LogLineOptions options_;
  Output& output_;
  const TimeZone zone_;
  const std::string id_;     ///< empty: the only job
  const std::string label_;  ///< empty: the only job
  std::string line_;
  std::optional<Stream> unfinished_;  ///< the stream whose line is not complete
  bool at_line_start_ = true;
  bool is_empty_ = true;
  MetricsLine metrics_;
  std::optional<LogRecord> unprinted_metrics_;  ///< the record of the last ones, without its text
  std::chrono::steady_clock::time_point next_metrics_;
};

}  // namespace kinetic::cli
