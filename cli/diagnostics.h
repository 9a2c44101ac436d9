#pragma once

#include "kinetic/cloud.h"
#include "kinetic/log.h"

#include "settings/system_cause.h"

#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace kinetic::cli {

using settings::SystemCause;

class Output;

/// Returns a sink that writes the library's diagnostics of `level` and above to stderr through
/// `output`. Returns null for "off". The output must outlive the sink.
///
/// @param level  a value of the setting log_level.
std::unique_ptr<LogSink> MakeDiagnostics(const std::string& level, Output& output);

/// Notes on stderr what a command waits for, at most one line in five seconds.
class WaitNotes final : public WaitSink {
 public:
  /// The output must outlive it.
  explicit WaitNotes(Output& output) : output_(output) {}
  void OnWait(std::string_view what, std::chrono::milliseconds elapsed) override;

 private:
  Output& output_;
  std::mutex mutex_;
  std::optional<std::chrono::steady_clock::time_point> noted_;
};

/// Writes one JSON line for each completed request (docs/reference/network.md). Times are in
/// microseconds since the file was opened.
class Trace final : public RequestSink {
 public:
  Trace(std::string path, std::ofstream file);
  void Write(const RequestTrace& trace) override;
  /// Returns whether everything was written. @errors kResourceExhausted.
  Status Finish();

 private:
  std::string path_;
  std::chrono::steady_clock::time_point begin_;
  std::mutex mutex_;
  std::ofstream file_;
};

/// Creates or truncates the file, which only its owner can read. Returns null if `path` is empty.
///
/// @errors  kFailedPrecondition · kPermissionDenied.
Result<std::unique_ptr<Trace>> OpenTrace(const std::string& path);

}  // namespace kinetic::cli
