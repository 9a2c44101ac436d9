#pragma once

#include "kinetic/job.h"

#include "base/clock.h"
#include "base/file_system.h"
#include "record/status.h"

#include <string>
#include <string_view>

namespace kinetic::runner {

/// Keeps status.json in the runtime folder: replaced whenever something changes, for those who
/// watch. It need not survive a crash of the machine, so nothing waits for the disk.
///
/// @threads  one thread at a time.
class StatusBoard {
 public:
  StatusBoard(FileSystem& fs, Clock& clock, Path file, std::string id);

  Status Show(JobState state, Phase phase, std::string_view reason);
  /// Adds a moment to the timeline; it is shown with the next Show.
  void Note(std::string_view moment, std::string_view detail = {});
  void BeginAttempt(std::uint32_t attempt) { status_.attempt = attempt; }
  void CountRecords(std::uint64_t log_records) { status_.log_records = log_records; }

  const record::AttemptStatus& status() const { return status_; }
  /// When the first moment of that name was; nothing when there is none.
  std::optional<WallTime> When(std::string_view moment) const;

 private:
  FileSystem& fs_;
  Clock& clock_;
  const Path file_;
  record::AttemptStatus status_;
};

}  // namespace kinetic::runner
