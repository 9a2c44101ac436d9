#pragma once

#include "base/time/clock.h"
#include "runner/log/redactor.h"
#include "runner/log/spool.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::runner {

/// Splits a stream of bytes into log records: lines with their ends. A carriage return also ends a
/// record, so that progress bars are records; "\r\n" is one end. Lines longer than
/// record::kLogRecordBytes are cut, never within a UTF-8 character. The records joined are the
/// stream.
///
/// @threads  one thread at a time.
class LineSplitter {
 public:
  using OnRecord = std::function<void(std::string_view record)>;

  /// Reports the complete records; each view is valid during the call.
  void Feed(std::string_view bytes, const OnRecord& on_record);
  /// Reports the last line, which has no end.
  void Flush(const OnRecord& on_record);
  /// Same for a line that may continue: keeps an incomplete character at its end, unless there is
  /// nothing else.
  void FlushCharacters(const OnRecord& on_record);
  bool HasPartialLine() const { return !partial_.empty(); }

 private:
  std::string partial_;
};

/// Turns the two output streams of a program into log records without secrets. In the lines that
/// Python prints for frames, paths in the job's folder become relative, as in a project.
///
/// @threads  one thread at a time.
class LogCapture {
 public:
  /// @param secrets  from RedactableSecrets. Outlives the object, as the spool and the clock do.
  /// @param work  the job's folder; empty: paths stay as they are.
  LogCapture(Spool& spool, Clock& clock, const std::vector<std::string>& secrets,
             const Path& work = {});

  /// Records bytes read from a stream with one write to the spool.
  Status Append(Stream stream, std::string_view bytes);
  /// Records a line of kinetic's own in the system stream.
  Status Note(std::string_view text);
  /// Records lines without an end as they are, if they began at `latest_start` or earlier. Bytes
  /// that may start a secret are still held back.
  Status FlushPartialLines(SteadyTime latest_start);
  /// Records all that is left when the streams have ended.
  Status Flush();
  /// Seals the log. Records that a full disk rejects are lost.
  void Seal();

  const std::vector<std::string>& secrets() const { return secrets_; }
  /// Returns the last line of the standard error if it ends a Python traceback, or nothing.
  const std::string& python_error() const { return python_error_; }

 private:
  struct Lane {
    Lane(Stream which, const std::vector<std::string>& secrets)
        : stream(which), redactor(secrets) {}
    Stream stream;
    Redactor redactor;
    LineSplitter splitter;
    SteadyTime partial_since;  ///< if the splitter has a partial line
  };

  /// Commits the records. A disk that is full for a moment does not end the program.
  Status Commit();
  void Split(Lane& lane, std::string_view bytes);
  void Record(Stream stream, WallTime now, std::string_view record);

  Spool& spool_;
  Clock& clock_;
  const std::vector<std::string>& secrets_;
  Lane out_;
  Lane err_;
  const std::string frame_;  ///< how a frame in the job's folder begins
  std::string redacted_;
  std::string python_error_;
  bool in_traceback_ = false;
  bool gave_up_ = false;  ///< waiting for space on a full disk
};

}  // namespace kinetic::runner
