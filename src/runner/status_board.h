#pragma once

#include "kinetic/job.h"

#include "base/clock.h"
#include "base/file_system.h"
#include "record/status.h"

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// Keeps status.json in the runtime folder: replaced whenever something changes, for those who
/// watch. It need not survive a crash of the machine, so nothing waits for the disk.
///
/// @threads  safe to call concurrently.
class StatusBoard {
 public:
  /// Told of each status that was shown, on the thread that shows it.
  using OnShown = std::function<void(const record::AttemptStatus& status)>;

  StatusBoard(FileSystem& fs, Clock& clock, Path file, std::string id, OnShown on_shown = {});

  /// Goes on from a status that somebody else showed.
  void Resume(record::AttemptStatus status);

  Status Show(JobState state, Phase phase, std::string_view reason);
  /// Shows another reason than that of Show, until an empty one ends it.
  Status Interject(std::string_view reason);
  /// Adds a moment to the timeline; it is shown with the next Show.
  void Note(std::string_view moment, std::string_view detail = {});
  void BeginAttempt(std::uint32_t attempt);
  /// Shows how much of what it waits for has come.
  Status CountBytes(record::Progress fetched);
  void CountRecords(std::uint64_t log_records);

  record::AttemptStatus status() const;
  /// When the first moment of that name was; nothing when there is none.
  std::optional<WallTime> When(std::string_view moment) const;

 private:
  Status Write();

  FileSystem& fs_;
  Clock& clock_;
  const Path file_;
  const OnShown on_shown_;
  mutable std::mutex mutex_;
  record::AttemptStatus status_;
  std::string interjection_;
};

}  // namespace kinetic::runner
