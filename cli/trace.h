#pragma once

#include "kinetic/cloud.h"

#include <chrono>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>

namespace kinetic::cli {

/// Writes one line of JSON for each request as it ends (docs/guide/cloud.md). Times are
/// microseconds after the file was opened.
class Trace final : public RequestSink {
 public:
  Trace(std::string path, std::ofstream file);
  void Write(const RequestTrace& trace) override;
  /// Whether everything was written. @errors kResourceExhausted.
  Status Finish();

 private:
  std::string path_;
  std::chrono::steady_clock::time_point begin_;
  std::mutex mutex_;
  std::ofstream file_;
};

/// Makes the file anew, readable by its owner alone. @param path empty: none, and the answer is
/// null. @errors kFailedPrecondition, kPermissionDenied.
Result<std::unique_ptr<Trace>> OpenTrace(const std::string& path);

}  // namespace kinetic::cli
