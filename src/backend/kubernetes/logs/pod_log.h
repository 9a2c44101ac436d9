#pragma once

#include "kinetic/job.h"

#include "backend/kubernetes/snapshot/job_monitor.h"
#include "base/time/clock.h"
#include "kube/client.h"
#include "pod/log_line.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace kinetic::backend {

/// Reads a job's log from the output of its pods' collectors. Each line identifies its records, so
/// that duplicates are skipped and gaps are detected.
///
/// @threads  one thread at a time.
class PodLogReader {
 public:
  PodLogReader(const kube::Client& client, std::string name_space, std::uint64_t from_sequence,
               LogReader reader)
      : client_(client),
        name_space_(std::move(name_space)),
        next_(from_sequence),
        reader_(std::move(reader)) {}

  enum class Stop : std::uint8_t {
    kEnd,         ///< the stream ended; the pod's status shows whether more may follow
    kNotStarted,  ///< the collector has not started
    kGone,        ///< the pod or its log does not exist
    kGap,         ///< the next record is missing; the store may have it
    kLastLine,    ///< the collector's last line was read: `end`
    kTrouble,     ///< the API server is unavailable or rejects the request: `trouble`
  };

  /// Reads the log of one pod from about where the last read ended. With `follow`, also reads new
  /// records.
  ///
  /// @errors  those of the reader · kCancelled.
  Result<Stop> Read(std::string_view pod, bool follow, std::stop_token stop);

  std::uint64_t next_sequence() const { return next_; }
  const std::optional<pod::EndLine>& end() const { return end_; }
  const std::optional<Error>& trouble() const { return trouble_; }

 private:
  Status TakeBytes(std::string_view bytes);
  Status TakeLine(std::string_view line);
  Status TakeRecord(const LogRecord& record);

  const kube::Client& client_;
  const std::string name_space_;
  std::uint64_t next_;
  LogReader reader_;
  std::string rest_;  ///< an incomplete line
  pod::LogLineReader lines_;
  std::optional<WallTime> last_time_;
  std::optional<pod::EndLine> end_;
  std::optional<Stop> decided_;
  std::optional<Error> trouble_;
  bool reader_failed_ = false;
};

/// Implements Target::Logs without `follow`: reads what the job's pods have now, up to the first
/// missing record. @returns  the sequence number after the last record read.
Result<std::uint64_t> ReadPodLogs(const kube::Client& client, std::string_view name_space,
                                  const Observed& observed, std::uint64_t from_sequence,
                                  const LogReader& reader, std::stop_token stop);

/// Implements Target::Logs with `follow`: reads until the last line, until nothing of the job is
/// left, or until a record is missing that the store may have.
Result<std::uint64_t> FollowPodLogs(const WatchedJob& job, std::uint64_t from_sequence,
                                    const LogReader& reader, std::stop_token stop);

/// Follows the output of a pod's main container line by line on its own thread. Continues after a
/// lost connection. Output that cannot be read is skipped, because it is for display only.
class PlainLog {
 public:
  /// @param client  must outlive this object, as must the clock. @param each  called on one thread.
  PlainLog(const kube::Client& client, Clock& clock, std::string name_space, std::string pod,
           std::function<void(std::string_view line)> each);
  PlainLog(const PlainLog&) = delete;
  PlainLog& operator=(const PlainLog&) = delete;

  const std::string& pod() const { return pod_; }

  /// Waits briefly for the end of the log of a container that has ended.
  void Drain();

 private:
  void Follow(const std::stop_token& stop);
  void Take(std::string_view bytes);

  const kube::Client& client_;
  Clock& clock_;
  const std::string name_space_;
  const std::string pod_;
  const std::function<void(std::string_view)> each_;
  std::uint64_t taken_ = 0;    ///< bytes of the log
  std::uint64_t to_skip_ = 0;  ///< of this read: received before
  std::string line_;
  std::atomic<bool> over_ = false;
  std::jthread thread_;  ///< last: it uses all other members
};

}  // namespace kinetic::backend
