#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "runner/alarm.h"
#include "runner/flush_schedule.h"
#include "runner/follow_watch.h"
#include "runner/log_merger.h"
#include "runner/spool.h"
#include "store/store.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace kinetic::runner {

/// Brings the log from the spool to the store, on a thread of its own: the program never waits for
/// the store. A sealed segment is stored at once and leaves the spool then; the one that grows is
/// stored again and again, as FlushSchedule says, each time as a longer object of the same name.
/// How long a store that is away is waited for, the store knows.
///
/// @threads  safe to call concurrently.
class LogUploader {
 public:
  struct Places {
    Path spool;
    std::string id;
    std::uint32_t host = 0;
  };

  LogUploader(store::Store& store, FileSystem& fs, Clock& clock, Places places);
  ~LogUploader();

  /// A segment has grown or is sealed; in their order.
  void Take(const SpooledSegment& segment);

  /// What there is goes to the store at once: the job is to stop.
  void Hurry();

  /// Waits until the store has everything, or something cannot be stored. @errors that one's.
  Status Drain();

 private:
  /// The object of a segment, as it was stored last.
  struct Stored {
    std::uint32_t attempt = 0;
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;  ///< of the spooled file
    std::uint64_t next = 0;
    std::string object;
    std::optional<store::ObjectInfo> info;
  };

  void Work(const std::stop_token& stop);
  std::optional<SpooledSegment> Next(std::optional<SteadyTime>& wake);
  bool HasNews() const;
  std::uint64_t Unstored(const SpooledSegment& segment) const;
  void Finish(const SpooledSegment& segment, Status uploaded);
  Status Upload(const SpooledSegment& segment, const std::stop_token& stop);
  Result<std::string> ReadNews(const SpooledSegment& segment);
  Result<store::ObjectInfo> Put(const std::string& name, std::uint64_t next,
                                const std::stop_token& stop);

  store::Store& store_;
  FileSystem& fs_;
  Clock& clock_;
  const Places places_;
  Alarm alarm_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<SpooledSegment> segments_;  ///< only the last one may still grow
  SpooledSegment done_;                  ///< the last one that was stored, as it was then
  FlushSchedule schedule_;
  bool urgent_ = false;   ///< all there is goes out now
  bool hurried_ = false;  ///< what comes goes out as if somebody followed
  bool followed_ = false;
  Status failed_;  ///< of the first in line; it is tried again when one is sealed, and by Drain

  // Of the thread alone.
  Stored stored_;
  FollowWatch watch_;
  LogMerger merger_;
  std::jthread thread_;  ///< last: it uses all the others
};

}  // namespace kinetic::runner
