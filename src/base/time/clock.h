#pragma once

#include "kinetic/result.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace kinetic {

using WallTime = std::chrono::system_clock::time_point;
using SteadyTime = std::chrono::steady_clock::time_point;

/// The source of time; tests replace it with a fake. Safe to call concurrently.
class Clock {
 public:
  virtual ~Clock() = default;

  /// Returns the date and time in UTC. May jump.
  virtual WallTime Now() const = 0;

  /// Returns monotonic time, for measuring and for deadlines.
  virtual SteadyTime Steady() const = 0;

  /// Waits for `duration`, or returns kCancelled as soon as `stop` is requested.
  virtual Status Sleep(std::chrono::milliseconds duration, std::stop_token stop) = 0;
};

/// Returns the machine's clock. It lives as long as the program.
Clock& SystemClock();

/// A stop token that is also requested after a timeout, for operations without a timeout of their
/// own.
class Deadline {
 public:
  /// Requests a stop after `timeout`, or when `outer` is requested.
  Deadline(std::chrono::milliseconds timeout, const std::stop_token& outer);

  std::stop_token token() const { return source_.get_token(); }
  /// Returns whether the timeout, and not `outer`, requested the stop.
  bool expired() const { return expired_; }

 private:
  std::stop_source source_;
  std::stop_callback<std::function<void()>> forward_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::atomic<bool> expired_{false};
  std::jthread timer_;
};

/// Formats as RFC 3339 in UTC with microseconds: "2026-11-21T09:00:00.000000Z".
std::string FormatTime(WallTime time);

/// Parses RFC 3339 with any number of fraction digits and `Z` or a numeric offset, for the years
/// 1678 to 2261. Returns nullopt for anything else.
std::optional<WallTime> ParseTime(std::string_view text);

/// Converts to microseconds since 1970, the form in which times are stored.
std::int64_t ToMicros(WallTime time);
WallTime FromMicros(std::int64_t micros);

}  // namespace kinetic
