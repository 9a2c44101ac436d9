#pragma once

#include "kinetic/job.h"

#include "base/time/clock.h"
#include "kube/client.h"
#include "pod/log_line.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

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

}  // namespace kinetic::backend
