#pragma once

#include "kinetic/job.h"
#include "kinetic/metrics.h"
#include "kinetic/observer.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "output/table.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <stop_token>
#include <string_view>

namespace kinetic::cli {

/// Shows the progress of one operation. The destructor removes the display.
class Progress : public Observer {
 public:
  /// Shows `what` in the status line with the elapsed time, which starts at `elapsed`, because a job
  /// is being followed.
  virtual void Follow(std::string_view /*what*/, std::chrono::nanoseconds /*elapsed*/) {}
  /// Shows the progress of the followed job: on a terminal before `what`, which replaces the text of
  /// Follow, elsewhere as a line at most every few seconds.
  virtual void Update(std::string_view /*progress*/, std::string_view /*what*/) {}
  /// Shows a row of metrics of the followed job: the last one in the same way, and at the end.
  virtual void OnMetrics(const Metrics& /*numbers*/) {}
  /// Ends the phases that precede the job's program, because its output begins. The library reports
  /// their ends separately, which may be later.
  virtual void OnJobOutput() {}
};

/// The output of a command. The answer goes to stdout, everything else to stderr.
///
/// All text may come from elsewhere: every function except Bytes escapes what could control the
/// terminal or forge a line (output/text.h).
///
/// @threads  safe to call concurrently.
class Output {
 public:
  virtual ~Output() = default;

  /// Returns whether the answer is JSON. If so, Line, Show and job output do not go to stdout.
  virtual bool IsJson() const { return false; }

  /// Writes one line of the answer.
  virtual void Line(const StyledLine& line) = 0;
  /// Same, broken between words into lines that fit the terminal, each with `indent` spaces.
  void Paragraph(std::string_view text, std::size_t indent = 0);
  /// Writes a line of the answer that scripts use, such as a path: unchanged except to a terminal.
  virtual void ExactLine(std::string_view text) = 0;
  virtual void Show(const Table& table) = 0;
  /// Shows a table in place of the previous one. Returns false, and shows nothing, if stdout is not
  /// a terminal that this output draws on.
  virtual bool ShowInPlace(const Table& /*table*/) { return false; }
  /// Returns whether emphasis in the answer is visible.
  virtual bool IsStyled() const { return false; }
  /// Returns the columns of the terminal that the answer is written to, or 0.
  virtual std::size_t Columns() const { return 0; }
  /// Writes bytes of the answer unchanged, also to a terminal: kinetic's own text, and content that
  /// the user wants raw.
  virtual void Bytes(std::string_view bytes) = 0;
  /// Writes JSON text of the answer with a newline.
  virtual void Json(std::string_view json) = 0;
  /// Writes the answer as JSON. Call it once for a document, or once per line for JSON lines.
  virtual void Document(const Value& value) = 0;

  /// Writes a piece of a job's output to the stream of the same name: unchanged to a pipe or file
  /// and if it is `raw`, filtered (JobTextFilter) to a terminal.
  virtual void JobOutput(Stream stream, std::string_view bytes, bool raw) = 0;

  /// Write to stderr: information, a warning, or the reason for a failure.
  virtual void Note(std::string_view text) = 0;
  virtual void Warn(std::string_view text) = 0;
  virtual void ShowError(const Error& error, int exit_code) = 0;
  /// Writes text of several lines to stderr.
  virtual void Explain(std::string_view text) = 0;

  /// Asks a yes-or-no question on the terminal. Returns nullopt if there is no terminal to ask on.
  /// A stop request means no.
  virtual std::optional<bool> Confirm(std::string_view /*question*/,
                                      const std::stop_token& /*stop*/) {
    return std::nullopt;
  }

  /// Starts a progress display. Only one may exist at a time.
  virtual std::unique_ptr<Progress> StartProgress() = 0;
  /// Handles a change of the terminal size.
  virtual void Resized() {}

  /// Writes buffered output. Returns the first failure to write the answer: kCancelled if the
  /// reader closed the pipe, kResourceExhausted otherwise.
  virtual Status Flush() = 0;
  /// Returns whether the answer can no longer be written, so that the command can stop.
  virtual bool IsStdoutClosed() = 0;
  /// Discards the rest of the answer, because its reader has gone.
  virtual void CloseStdout() = 0;
};

}  // namespace kinetic::cli
