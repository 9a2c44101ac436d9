#pragma once

#include "kinetic/metrics.h"
#include "kinetic/result.h"

#include "base/concurrency/waiter.h"
#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "record/job_key.h"
#include "runner/log/follower_detector.h"
#include "runner/log/merger.h"
#include "runner/log/spool.h"
#include "store/object_store.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace kinetic::runner {

/// Delay between a record and its upload while a client follows the log from the store.
inline constexpr std::chrono::seconds kFollowedFlush{2};
/// Maximum delay while no client follows the log. The delay starts at kFollowedFlush and doubles.
inline constexpr std::chrono::seconds kUnfollowedFlush{30};
/// This many new bytes are uploaded without delay.
inline constexpr std::uint64_t kFlushBytes = 1U << 20;
/// Minimum time between two writes of the same object.
inline constexpr std::chrono::seconds kFlushPause{1};

/// Decides when new log records are uploaded. Pure: it has no clock and no store.
class FlushSchedule {
 public:
  /// There are now `unstored_bytes` that the store does not have.
  void OnGrown(std::uint64_t unstored_bytes, SteadyTime now);

  /// The store has everything.
  void OnFlushed(SteadyTime now);

  /// Returns when to upload, or nullopt if nothing is new. A time in the past means at once.
  std::optional<SteadyTime> Due(bool followed) const;

 private:
  std::optional<SteadyTime> oldest_;  ///< when the first new record was written
  std::uint64_t bytes_ = 0;
  std::optional<SteadyTime> flushed_;
  std::chrono::seconds interval_ = kFollowedFlush;
};

/// Moves the log from the spool to the store on its own thread, so the program never waits for the
/// store. A sealed segment is stored at once and removed from the spool. The growing segment is
/// stored repeatedly according to FlushSchedule, as an object that grows. Retries are up to the
/// store.
///
/// @threads  safe to call concurrently.
class LogUploader {
 public:
  struct Options {
    Path spool;
    record::JobKey job;
  };

  LogUploader(store::Store& store, FileSystem& fs, Clock& clock, Options options);
  ~LogUploader();

  /// A segment has grown or is sealed. Call in segment order.
  void OnSegment(const SpooledSegment& segment);

  /// Uploads everything at once, and what follows as if a client followed: the job is being
  /// stopped.
  void Expedite();

  /// Waits until the store has everything or a segment cannot be stored. @errors  that segment's.
  Status Drain();

  /// Returns the summary of the metrics in the stored part of the last attempt's log.
  std::vector<MetricSummary> metrics();

 private:
  /// A segment's object as last stored.
  struct Stored {
    std::uint32_t attempt = 0;
    std::uint64_t first = 0;
    std::uint64_t bytes = 0;  ///< of the spooled file
    std::uint64_t next = 0;
    std::string object;
    std::optional<store::ObjectInfo> info;
    bool is_lost = false;  ///< the job has removed or damaged the file
  };

  void Work(const std::stop_token& stop);
  std::optional<SpooledSegment> Next(std::optional<SteadyTime>& wake);
  bool HasNews() const;
  std::uint64_t UnstoredBytes(const SpooledSegment& segment) const;
  void Finish(const SpooledSegment& segment, Status uploaded);
  Status Upload(const SpooledSegment& segment, const std::stop_token& stop);
  Result<std::string> ReadNews(const SpooledSegment& segment, std::vector<MetricSummary>& metrics);
  Result<store::ObjectInfo> Put(const std::string& name, std::uint64_t next,
                                const std::stop_token& stop);

  store::Store& store_;
  FileSystem& fs_;
  Clock& clock_;
  const Options options_;
  Waiter waiter_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<SpooledSegment> segments_;  ///< only the last one may still grow
  SpooledSegment done_;                  ///< the last stored one, as it was then
  FlushSchedule schedule_;
  bool urgent_ = false;     ///< upload everything now
  bool expedited_ = false;  ///< treat the log as followed from now on
  bool followed_ = false;
  std::vector<MetricSummary> metrics_;
  Status failed_;  ///< error of the first segment; retried when one is sealed, and by Drain

  // Used by the thread only.
  Stored stored_;
  FollowerDetector followers_;
  LogMerger merger_;
  std::jthread thread_;  ///< last: it uses all other members
};

}  // namespace kinetic::runner
