#pragma once

#include "kinetic/job.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"
#include "record/status.h"

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// The file status.json in the runtime directory, replaced on every change for clients that watch
/// it. It need not survive a crash of the machine, so nothing waits for the disk.
///
/// @threads  safe to call concurrently.
class StatusFile {
 public:
  /// Called with each written status, on the thread that writes it.
  using OnWritten = std::function<void(const record::AttemptStatus& status)>;

  StatusFile(FileSystem& fs, Clock& clock, Path file, const record::JobKey& job,
             OnWritten on_written = {});

  /// Continues with the status that an earlier process wrote.
  void Resume(record::AttemptStatus status);

  /// Writes state, phase and reason.
  Status Set(JobState state, Phase phase, std::string_view reason);
  /// Writes a reason if the program is running.
  Status SetRunningReason(std::string_view reason);
  /// Writes a temporary reason in place of that of Set. An empty one ends it.
  Status SetWaitReason(std::string_view reason);
  /// Writes how much has been fetched.
  Status SetFetchProgress(record::Progress fetched);
  /// Adds an event to the timeline; the next Set writes it.
  void AddEvent(std::string_view name, std::string_view detail = {});
  /// Sets the attempt's number; the next Set writes it.
  void BeginAttempt(std::uint32_t attempt);
  /// Sets the states of an array's tasks; the next Set writes them.
  void SetTasks(const TaskCounts& tasks);
  /// Sets the number of log records; the next Set writes it.
  void SetLogRecords(std::uint64_t log_records);

  record::AttemptStatus status() const;
  /// Returns the time of the first event of that name, or nullopt.
  std::optional<WallTime> TimeOf(std::string_view event) const;

 private:
  Status Write();

  FileSystem& fs_;
  Clock& clock_;
  const Path file_;
  const OnWritten on_written_;
  mutable std::mutex mutex_;
  record::AttemptStatus status_;
  std::string wait_reason_;
};

}  // namespace kinetic::runner
