#pragma once

#include "kinetic/cloud.h"

#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>

namespace kinetic::cli {

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
