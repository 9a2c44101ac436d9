#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "record/log/segment.h"
#include "runner/log/spool.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kinetic::runner {

/// A segment that SpoolFollower reads. Clang rejects std::optional of such a class nested in it.
struct FollowedSegment {
  UniqueFd fd;
  std::uint64_t first = 0;
  record::SegmentParser parser;
  std::uint64_t offset = 0;  ///< bytes read
  std::uint64_t reported_bytes = 0;
  bool damaged = false;
};

/// Follows a spool that another process writes, and reports its segments as the Spool itself does:
/// only whole records.
///
/// @threads  one thread at a time.
class SpoolFollower {
 public:
  SpoolFollower(FileSystem& fs, Path spool, Spool::OnWritten on_written);

  /// Reports new records.
  /// @errors  those of FileSystem. A damaged segment ends before the damage.
  Status Poll();

  /// Reports new records for the last time: the writer has ended, so the last segment is sealed.
  Status Finish();

  /// Returns the number after the last record, or nullopt if there was none.
  std::optional<std::uint64_t> next_sequence() const { return next_; }

 private:
  Result<std::vector<std::uint64_t>> Segments() const;
  Status Advance(bool last);
  Status Read();
  void Notify(bool sealed);

  FileSystem& fs_;
  const Path spool_;
  const Spool::OnWritten on_written_;
  std::optional<FollowedSegment> open_;
  std::optional<std::uint64_t> done_;  ///< first record of the last sealed segment
  std::optional<std::uint64_t> next_;
  std::string buffer_;
};

}  // namespace kinetic::runner
