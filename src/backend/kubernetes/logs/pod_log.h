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

/// Reads the log of a job from what the collectors of its pods print. Each line says which record
/// it is, so that what comes twice is passed over and what is missing is seen.
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
    kEnd,         ///< the stream ended; the pod's status tells whether there may be more
    kNotStarted,  ///< the collector has not started
    kGone,        ///< the pod, or its log, is not there
    kGap,         ///< the next record is missing: only the store may have it
    kLastLine,    ///< the collector has said its last word: `end`
    kTrouble,     ///< the API server is away or refuses: `trouble`
  };

  /// Reads the log of one pod, from about where the last reading ended; with `follow`, as it grows.
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
  std::string rest_;  ///< of a line whose end has not come
  pod::LogLineReader lines_;
  std::optional<WallTime> last_time_;
  std::optional<pod::EndLine> end_;
  std::optional<Stop> decided_;
  std::optional<Error> trouble_;
  bool reader_failed_ = false;
};

/// Target::Logs without `follow`: what the job's pods show just now, up to the first record that
/// they have not. @returns  the sequence number after the last record read.
Result<std::uint64_t> ReadPodLogs(const kube::Client& client, std::string_view name_space,
                                  const Observed& observed, std::uint64_t from_sequence,
                                  const LogReader& reader, std::stop_token stop);

/// Target::Logs with `follow`: until the job's last word has been read, nothing of the job is left,
/// or a record is missing that only the store may have.
Result<std::uint64_t> FollowPodLogs(const WatchedJob& job, std::uint64_t from_sequence,
                                    const LogReader& reader, std::stop_token stop);

/// Follows what a pod's main container prints, line by line, in a thread of its own: from its
/// beginning, and again from where it was when a connection is cut. It is for people: what cannot
/// be read is left out.
class PlainLog {
 public:
  /// @param client  and clock outlive it. @param each  called by one thread.
  PlainLog(const kube::Client& client, Clock& clock, std::string name_space, std::string pod,
           std::function<void(std::string_view line)> each);
  PlainLog(const PlainLog&) = delete;
  PlainLog& operator=(const PlainLog&) = delete;

  const std::string& pod() const { return pod_; }

  /// Waits for the end of a log whose container has ended, for a moment at most.
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
  std::uint64_t to_skip_ = 0;  ///< of this reading: they were taken before
  std::string line_;
  std::atomic<bool> over_ = false;
  std::jthread thread_;  ///< last: it uses the others
};

}  // namespace kinetic::backend
