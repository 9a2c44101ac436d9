#pragma once

#include "kinetic/job.h"

#include "base/files/file_system.h"
#include "base/time/clock.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// The written part of a segment in the spool.
struct SpooledSegment {
  std::uint32_t attempt = 0;
  std::uint64_t first = 0;  ///< number of its first record
  std::uint64_t bytes = 0;  ///< length of its whole records in the file
  std::uint64_t next = 0;   ///< number after its last record
  bool sealed = false;      ///< it does not change any more
};

/// Writes a job's log as uncompressed segments into a folder. A segment that is full, or whose
/// attempt has ended, is sealed: the spool does not touch it again.
///
/// @threads  one thread at a time.
class Spool {
 public:
  /// Called when a segment has grown, and when it is sealed; the receiver then owns its file.
  using OnWritten = std::function<void(const SpooledSegment& segment)>;

  Spool(FileSystem& fs, Path folder, OnWritten on_written);

  /// Creates the folder. The records that follow belong to `attempt`.
  Status BeginAttempt(std::uint32_t attempt);
  /// Creates the folder, and continues with the number of the next record.
  Status BeginAttempt(std::uint32_t attempt, std::uint64_t next_sequence);
  /// Buffers a record until Commit.
  void Append(Stream stream, WallTime time, std::string_view text);
  /// Writes the buffered records at once if the segment has room. The next Commit writes what could
  /// not be written, over the partial write of a full disk.
  Status Commit();
  /// Commits and seals the current segment.
  Status Seal();
  /// Seals what is already written and drops the rest, for a disk that stays full. Returns the
  /// number of dropped records, which keep their sequence numbers.
  std::uint64_t SealWritten();

  /// Returns the number of records over all attempts.
  std::uint64_t next_sequence() const { return next_; }

 private:
  Status OpenSegment();
  Status CommitPart();
  Status CommitAll();
  void Notify(bool sealed) const;
  void NotifySealed();

  FileSystem& fs_;
  const Path folder_;
  const OnWritten on_written_;
  std::uint32_t attempt_ = 0;
  std::uint64_t next_ = 0;
  bool open_ = false;                ///< there is a segment; the following members describe it
  std::uint64_t first_ = 0;          ///< number of its first record
  std::uint64_t segment_bytes_ = 0;  ///< with buffered records
  UniqueFd fd_;
  std::uint64_t written_bytes_ = 0;
  std::uint64_t written_next_ = 0;  ///< number after the last written record
  std::string buffer_;
  Status sealed_;  ///< of a full segment within Append; an error is retried by the next Commit
};

}  // namespace kinetic::runner
