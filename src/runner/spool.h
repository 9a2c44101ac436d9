#pragma once

#include "kinetic/job.h"

#include "base/clock.h"
#include "base/file_system.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace kinetic::runner {

/// A segment in the spool, as far as it is written.
struct SpooledSegment {
  std::uint32_t attempt = 0;
  std::uint64_t first = 0;  ///< the number of its first record
  std::uint64_t bytes = 0;  ///< of the file; they are whole records
  std::uint64_t next = 0;   ///< the number after the last record in them
  bool sealed = false;      ///< it is not touched any more
};

/// Writes a job's log as plain segments into a folder. A segment that has reached its size, or
/// whose attempt has ended, is sealed: it is handed over and not touched again.
///
/// @threads  one thread at a time.
class Spool {
 public:
  /// Told of a segment when it has grown, and when it is sealed: whoever is told takes it over.
  using OnWritten = std::function<void(const SpooledSegment& segment)>;

  Spool(FileSystem& fs, Path folder, OnWritten on_written);

  /// Makes the folder. Records that follow belong to that attempt.
  Status BeginAttempt(std::uint32_t attempt);
  /// The same after records of others: the next one has that number.
  Status BeginAttempt(std::uint32_t attempt, std::uint64_t next_sequence);
  /// Takes a record; nothing is written before Commit.
  void Append(Stream stream, WallTime time, std::string_view text);
  /// Writes what was taken, in one piece where it fits into the segment. What could not be written
  /// is written by the next Commit, over what a full disk took of it.
  Status Commit();
  /// Commits and hands over the last segment.
  Status Seal();
  /// Hands over what could be written of the last segment and forgets the rest: for the end, when
  /// the disk stays full. Returns how many records that are.
  std::uint64_t SealWhatIsWritten();

  /// How many records there are, over all attempts.
  std::uint64_t next_sequence() const { return next_; }

 private:
  Status OpenSegment();
  Status CommitPart();
  void Tell(bool sealed) const;
  void HandOver();

  FileSystem& fs_;
  const Path folder_;
  const OnWritten on_written_;
  std::uint32_t attempt_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t first_ = 0;          ///< of the open segment
  std::uint64_t segment_bytes_ = 0;  ///< of the open segment, what is buffered included
  bool open_ = false;
  UniqueFd fd_;
  std::uint64_t written_bytes_ = 0;  ///< of the open segment
  std::uint64_t written_next_ = 0;   ///< the number after the last record that is written
  std::string buffer_;
  Status failed_;  ///< of a roll inside Append; told by the next Commit
};

}  // namespace kinetic::runner
