#pragma once

#include "kinetic/job.h"

#include "base/files/file_system.h"
#include "record/log/segment.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace kinetic::backend {

/// Returns the first sequence numbers of the log segments in a spool folder, ascending. A missing
/// spool is empty.
Result<std::vector<std::uint64_t>> SpoolSegments(FileSystem& fs, const Path& spool);

/// A segment that is being read.
struct OpenSegment {
  UniqueFd fd;
  std::uint64_t first = 0;
  std::uint64_t offset = 0;
  record::SegmentParser parser;
};

/// Reads a job's log from its spool while the supervisor appends records, and seals and removes
/// segments.
///
/// @threads  one thread at a time.
class SpoolReader {
 public:
  SpoolReader(FileSystem& fs, Path spool, std::uint64_t from_sequence)
      : fs_(fs), spool_(std::move(spool)), next_(from_sequence) {}

  /// Passes on the complete records that were not passed on before.
  ///
  /// @errors  kDataLoss (a damaged segment) · those of `each`.
  Status Read(const LogRecordSink& each);

  /// Returns the sequence number of the next record.
  std::uint64_t next_sequence() const { return next_; }

  /// Returns whether a segment is open. It may grow.
  bool has_segment() const { return segment_.has_value(); }

  /// Returns whether the next record has moved from the spool to the store.
  bool moved_away() const { return moved_away_; }

 private:
  Status Choose(const std::vector<std::uint64_t>& segments);
  Status ReadToEnd(const LogRecordSink& each);
  void Finish();

  FileSystem& fs_;
  Path spool_;
  std::uint64_t next_;
  bool moved_away_ = false;
  std::optional<OpenSegment> segment_;
  std::optional<std::uint64_t> finished_;  ///< the segment read last
};

}  // namespace kinetic::backend
