#pragma once

#include "kinetic/result.h"

#include "base/file_system.h"
#include "record/log_segment.h"
#include "runner/spool.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::runner {

/// A segment that is being read.
struct FollowedSegment {
  UniqueFd fd;
  std::uint64_t first = 0;
  record::SegmentParser parser;
  std::uint64_t offset = 0;  ///< read so far
  std::uint64_t told = 0;    ///< bytes
  bool damaged = false;
};

/// Follows a spool that another process writes, and tells of its segments as the Spool itself would
/// do: only of whole records.
///
/// @threads  one thread at a time.
class SpoolFollower {
 public:
  SpoolFollower(FileSystem& fs, Path spool, Spool::OnWritten on_written);

  /// Tells of what is new.
  /// @errors  those of FileSystem. A damaged segment ends where it is whole.
  Status Look();

  /// The same for the last time: the writer is gone, and nothing grows any more.
  Status Finish();

  /// The number after the last record seen; nothing when there was none.
  std::optional<std::uint64_t> next_sequence() const { return next_; }

 private:
  Result<std::vector<std::uint64_t>> Segments() const;
  Status Advance(bool last);
  Status Read();
  void Tell(bool sealed);

  FileSystem& fs_;
  const Path spool_;
  const Spool::OnWritten on_written_;
  std::optional<FollowedSegment> open_;
  std::optional<std::uint64_t> done_;  ///< the first record of the segment that was sealed last
  std::optional<std::uint64_t> next_;
  std::string buffer_;
};

}  // namespace kinetic::runner
