#pragma once

#include "kinetic/job.h"

#include "base/files/file_system.h"
#include "record/log/segment.h"
#include "runner/log/spool.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>

namespace kinetic::runner {

/// Copies the log from the spool to a descriptor on its own thread, as fast as the reader reads. A
/// slow or absent reader delays neither the program nor the store. Segments stay open until they
/// are copied, so their files may be removed. If too many are open, whole segments are skipped.
///
/// @threads  safe to call concurrently.
class LogEcho {
 public:
  /// Appends a record in its output format.
  using Format = std::function<void(std::string& out, const LogRecord& record)>;

  /// @param out  stays open; may be a pipe that other processes share.
  LogEcho(FileSystem& fs, Path spool, int out, Format format);
  ~LogEcho();
  LogEcho(const LogEcho&) = delete;
  LogEcho& operator=(const LogEcho&) = delete;

  /// A segment has grown or is sealed. Call in segment order, before its file is removed.
  void OnSegment(const SpooledSegment& segment);

  /// Writes `text` after all segments so far: the log has ended. Further calls do nothing.
  void WriteLast(std::string text);

  /// Waits until everything is written. Returns false on a timeout.
  bool Finish(std::chrono::milliseconds timeout);

 private:
  struct Item {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;   ///< readable length of the file
    bool complete = false;     ///< the file does not grow any more
    std::uint64_t offset = 0;  ///< bytes read
    UniqueFd fd;
    record::SegmentParser parser;
    std::string text;  ///< written instead of a file
  };

  void Work(const std::stop_token& stop);
  Status Copy(Item& item, std::uint64_t bytes);
  Status Write(std::string_view text);

  FileSystem& fs_;
  const Path spool_;
  const int out_;
  const Format format_;
  UniqueFd wake_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;  ///< the thread works on the first one; others are added at the end
  std::uint64_t last_first_ = 0;
  bool any_ = false;
  bool broken_ = false;
  bool ended_ = false;

  // Used by the thread only.
  std::string read_;
  std::string formatted_;
  std::jthread thread_;  ///< last: it uses all other members
};

}  // namespace kinetic::runner
