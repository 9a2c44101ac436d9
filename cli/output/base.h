#pragma once

#include "kinetic/job.h"
#include "kinetic/observer.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "output/table.h"

#include <memory>
#include <string_view>

namespace kinetic::cli {

/// Shows the progress of one operation. The destructor removes the display.
class Progress : public Observer {
 public:
  /// Shows `what` in the status line with the elapsed time, because a job is being followed.
  virtual void Follow(std::string_view /*what*/) {}
};

/// The output of a command. The answer goes to stdout, everything else to stderr.
///
/// @threads  safe to call concurrently.
class Output {
 public:
  virtual ~Output() = default;

  /// Returns whether the answer is JSON. If so, Line, Show and job output do not go to stdout.
  virtual bool IsJson() const { return false; }

  /// Writes one line of the answer.
  virtual void Line(std::string_view text) = 0;
  virtual void Show(const Table& table) = 0;
  /// Writes raw bytes of the answer, such as a value or the content of a file.
  virtual void Bytes(std::string_view bytes) = 0;
  /// Writes the answer as JSON. Call it once for a document, or once per line for JSON lines.
  virtual void Document(const Value& value) = 0;

  /// Writes a piece of a job's output, unchanged, to the stream of the same name.
  virtual void JobOutput(Stream stream, std::string_view bytes) = 0;

  /// Write to stderr: information, a warning, or the reason for a failure.
  virtual void Note(std::string_view text) = 0;
  virtual void Warn(std::string_view text) = 0;
  virtual void ShowError(const Error& error, int exit_code) = 0;
  /// Writes text of several lines to stderr, unchanged.
  virtual void Explain(std::string_view text) = 0;

  /// Starts a progress display. Only one may exist at a time.
  virtual std::unique_ptr<Progress> StartProgress() = 0;
  /// Handles a change of the terminal size.
  virtual void Resized() {}

  /// Writes buffered output. Returns the first failure to write the answer: kCancelled if the
  /// reader closed the pipe, kResourceExhausted otherwise.
  virtual Status Flush() = 0;
  /// Returns whether the answer can no longer be written, so that the command can stop.
  virtual bool IsStdoutClosed() = 0;

  /// Returns the style of text on stdout.
  virtual Style StdoutStyle() const { return {}; }
};

}  // namespace kinetic::cli
