#pragma once

#include "kinetic/job.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// A piece of a job's log as bytes: docs/reference/store.md, "Log segments". The spool holds them
/// plain and growing, the store holds them sealed and compressed (one zstd frame).
namespace kinetic::record {

/// A segment is sealed when its plain form is this long.
inline constexpr std::size_t kLogSegmentBytes = 4U << 20;
/// A longer line is cut into records of at most this length.
inline constexpr std::size_t kLogRecordBytes = 64U << 10;

/// The 24 bytes a segment begins with: magic, version, attempt, first sequence number.
std::string SegmentHeader(std::uint32_t attempt, std::uint64_t first_sequence);

/// Appends one record to `out`; its sequence number follows from its place. `text` is at most
/// kLogRecordBytes, `time_micros` counts from 1970.
void AppendRecord(std::string& out, Stream stream, std::int64_t time_micros, std::string_view text);

/// Reads records from plain segment bytes that may arrive in pieces and end in the middle of a
/// record.
///
/// @threads  one thread at a time.
class SegmentParser {
 public:
  /// Takes more bytes and calls `each` for every record that is complete. After an error the parser
  /// is of no more use.
  ///
  /// @errors  kDataLoss (bad magic, impossible length, time or stream; the message has the offset),
  ///          those of `each`.
  Status Feed(std::string_view bytes, const LogReader& each);

  /// The sequence number of the next record; nothing before the header is complete.
  std::optional<std::uint64_t> next_sequence() const;
  std::uint32_t attempt() const { return attempt_; }
  /// How many bytes the header and the complete records are.
  std::uint64_t whole_bytes() const { return offset_; }
  /// Whether the bytes so far end between two records.
  bool AtBoundary() const { return pending_.empty(); }

 private:
  Status ReadHeader(std::string_view header);
  Result<std::size_t> ReadRecord(std::string_view bytes, const LogReader& each);
  Failure Damaged(std::string_view problem) const;

  std::string pending_;
  bool header_read_ = false;
  std::uint32_t attempt_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t offset_ = 0;  ///< of what has not been read yet
};

/// The sealed form of a plain segment.
std::string Seal(std::string_view plain);

/// The plain form of a sealed segment.
///
/// @errors  kDataLoss: not one zstd frame, or longer than a segment can be (kLogSegmentBytes and
/// one
///          record).
Result<std::string> Unseal(std::string_view sealed);

}  // namespace kinetic::record
