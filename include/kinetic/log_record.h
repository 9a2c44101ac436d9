#pragma once

#include "kinetic/result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string_view>

namespace kinetic::inline v0 {

enum class Stream : std::uint8_t { kStdout = 1, kStderr = 2, kSystem = 3 };

/// One record of a job's log: a line, or a piece of one.
struct LogRecord {
  /// The position in the log, from 0, over both streams and all attempts. A message of kinetic
  /// (kSystem) has the position of the record before it. Lost records leave a gap.
  std::uint64_t sequence = 0;
  std::uint32_t attempt = 1;
  Stream stream = Stream::kStdout;
  std::chrono::system_clock::time_point time;
  std::string_view text;  ///< bytes as written, including the newline; valid during the call
};

struct LogOptions {
  bool follow = false;
  std::uint64_t from_sequence = 0;
  std::optional<std::uint64_t> tail = {};  ///< maximum number of records, counted from the end
  std::stop_token stop = {};               ///< ends the reading with kCancelled
  /// Ends the reading with kDeadlineExceeded.
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
};

/// Receives log records in order. An error stops the reading and is returned.
using LogRecordSink = std::function<Status(const LogRecord& record)>;

}  // namespace kinetic::inline v0
