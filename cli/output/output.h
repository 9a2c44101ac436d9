#pragma once

#include "kinetic/job.h"
#include "kinetic/observer.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include "output/table.h"

#include <memory>
#include <string_view>

namespace kinetic::cli {

/// Shows one operation while it goes on; gone from the screen when it is destroyed.
class Progress : public Observer {
 public:
  /// From here on a job is followed: `what` stands in the status line with the time that has
  /// passed.
  virtual void Follow(std::string_view /*what*/) {}
};

/// Where a command puts what it has to say: stdout is the answer, stderr everything else.
///
/// @threads  safe to call concurrently.
class Output {
 public:
  virtual ~Output() = default;

  /// Whether the answer is JSON; then Line, Show and job output do not reach stdout.
  virtual bool IsJson() const { return false; }

  /// A line of the answer.
  virtual void Line(std::string_view text) = 0;
  virtual void Show(const Table& table) = 0;
  /// Bytes of the answer as they are: a value, the content of a file.
  virtual void Bytes(std::string_view bytes) = 0;
  /// The answer as JSON: one document, or one of several lines.
  virtual void Document(const Value& value) = 0;

  /// A piece of a job's output, as it is, to the stream of that name.
  virtual void JobOutput(Stream stream, std::string_view bytes) = 0;

  /// Beside the answer: something to know; something to look at; why it failed.
  virtual void Note(std::string_view text) = 0;
  virtual void Warn(std::string_view text) = 0;
  virtual void ShowError(const Error& error, int exit_code) = 0;
  /// A text of several lines for stderr, as it is.
  virtual void Explain(std::string_view text) = 0;

  /// Begins a progress display; at most one at a time.
  virtual std::unique_ptr<Progress> StartProgress() = 0;
  /// The terminal has another size.
  virtual void Resized() {}

  /// Writes what is buffered. The first failure to write the answer: kCancelled when its reader
  /// went away, kResourceExhausted otherwise.
  virtual Status Flush() = 0;
  /// Whether the answer can no longer be written, so that there is no use in going on.
  virtual bool AnswerIsUnread() = 0;

  /// The look of text on stdout.
  virtual Style AnswerStyle() const { return {}; }
};

}  // namespace kinetic::cli
