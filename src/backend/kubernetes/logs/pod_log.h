#pragma once

#include "kinetic/job.h"

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
               LogRecordSink reader)
      : client_(client),
        name_space_(std::move(name_space)),
        next_(from_sequence),
        reader_(std::move(reader)) {}

  enum class Stop : std::uint8_t {
    kEnd,         ///< the stream ended; the pod's status shows whether more may follow
    kNotStarted,  ///< the collector has not started
    kGone,        ///< the pod or its log does not exist
    kGap,         ///< the next record is missing; the store may have it
    kEndLine,     ///< the collector's last line was read: `end`
    kApiError,    ///< the API server is unavailable or rejects the request: `api_error`
  };

  /// Reads the log of one pod from about where the last read ended. With `follow`, also reads new
  /// records.
  ///
  /// @errors  those of the reader · kCancelled.
  Result<Stop> Read(std::string_view pod, bool follow, std::stop_token stop);

  std::uint64_t next_sequence() const { return next_; }
  const std::optional<pod::EndLine>& end() const { return end_; }
  const std::optional<Error>& api_error() const { return api_error_; }

 private:
  Status TakeBytes(std::string_view bytes);
  Status TakeLine(std::string_view line);
  Status TakeRecord(const LogRecord& record);

  const kube::Client& client_;
  const std::string name_space_;
  std::uint64_t next_;
  LogRecordSink reader_;
  std::string rest_;  ///< an incomplete line
  pod::LogLineReader lines_;
  std::optional<WallTime> last_time_;
  std::optional<pod::EndLine> end_;
  std::optional<Stop> decided_;
  std::optional<Error> api_error_;
  bool reader_failed_ = false;
};

}  // namespace kinetic::backend
