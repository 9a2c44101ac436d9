#pragma once

#include "kinetic/job.h"

#include "base/file_system.h"
#include "record/log_segment.h"
#include "runner/spool.h"

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

/// Copies the log from the spool to a descriptor, on a thread of its own and at the reader's pace:
/// a reader that is slow or gone stops neither the program nor the store. It holds the segments
/// open that are still to be copied, so that they may be taken away meanwhile; when those become
/// too many, it leaves some out.
///
/// @threads  safe to call concurrently.
class LogEcho {
 public:
  /// Appends a record as it is to be written.
  using Format = std::function<void(std::string& out, const LogRecord& record)>;

  /// @param out  stays open; a pipe of others too.
  LogEcho(FileSystem& fs, Path spool, int out, Format format);
  ~LogEcho();
  LogEcho(const LogEcho&) = delete;
  LogEcho& operator=(const LogEcho&) = delete;

  /// A segment has grown or is sealed; in their order, before anybody takes it away.
  void Take(const SpooledSegment& segment);

  /// Writes a text of its own after all that was taken: the log has ended.
  void Say(std::string text);

  /// Waits until everything is written. False: the reader does not take it.
  bool Finish(std::chrono::milliseconds patience);

 private:
  struct Item {
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;   ///< of the file, that may be read
    bool complete = false;     ///< no more bytes come
    std::uint64_t offset = 0;  ///< read so far
    UniqueFd fd;
    record::SegmentParser parser;
    std::string text;  ///< instead of a file
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
  std::deque<Item> items_;  ///< the thread works on the first, others only add at the end
  std::uint64_t last_first_ = 0;
  bool any_ = false;
  bool broken_ = false;

  // Of the thread alone.
  std::string read_;
  std::string formatted_;
  std::jthread thread_;  ///< last: it uses all the others
};

}  // namespace kinetic::runner
