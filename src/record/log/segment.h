#pragma once

#include "kinetic/job.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

/// The binary form of a part of a job's log: docs/reference/store.md, "Log segments". A spool holds
/// growing plain segments; the store holds sealed segments, each compressed as one zstd frame.
namespace kinetic::record {

/// A plain segment is sealed when it has this size.
inline constexpr std::size_t kLogSegmentBytes = 4U << 20;
/// Longer lines are split into records of at most this size.
inline constexpr std::size_t kLogRecordBytes = 64U << 10;

/// Returns the 24 bytes at the start of a segment: magic, version, attempt, first sequence number.
std::string SegmentHeader(std::uint32_t attempt, std::uint64_t first_sequence);

/// Appends a record to `out`. Its position implies its sequence number. `text` has at most
/// kLogRecordBytes. `time_micros` counts from 1970.
void AppendRecord(std::string& out, Stream stream, std::int64_t time_micros, std::string_view text);

/// Parses a plain segment that arrives in pieces, which may end in the middle of a record.
///
/// @threads  one thread at a time.
class SegmentParser {
 public:
  /// Parses more bytes and calls `each` for every complete record. After an error the parser must
  /// not be used again.
  ///
  /// @errors  kDataLoss (invalid magic, length, time or stream; the message has the offset), those
  ///          of `each`.
  Status Feed(std::string_view bytes, const LogRecordSink& each);

  /// Returns the sequence number of the next record, or nullopt before the header is complete.
  std::optional<std::uint64_t> next_sequence() const;
  std::uint32_t attempt() const { return attempt_; }
  /// Returns the size of the header and the complete records.
  std::uint64_t whole_bytes() const { return offset_; }
  /// Returns whether the bytes end between two records.
  bool AtBoundary() const { return pending_.empty(); }

 private:
  Status ReadHeader(std::string_view header);
  Result<std::size_t> ReadRecord(std::string_view bytes, const LogRecordSink& each);
  Failure Damaged(std::string_view problem) const;

  std::string pending_;
  bool header_read_ = false;
  std::uint32_t attempt_ = 0;
  std::uint64_t next_ = 0;
  std::uint64_t offset_ = 0;  ///< of the first byte that was not parsed
};

/// Compresses a plain segment.
std::string Seal(std::string_view plain);

/// Decompresses consecutive sealed segments. Holds one plain segment at a time.
///
/// @threads  one thread at a time.
class Unsealer {
 public:
  Unsealer();
  ~Unsealer();

  /// Decompresses more bytes and calls `each` for every complete plain segment, which it may move
  /// from. After an error the unsealer must not be used again.
  ///
  /// @errors  kDataLoss: not a zstd frame, or longer than kLogSegmentBytes and one record; those of
  ///          `each`.
  Status Feed(std::string_view sealed, const std::function<Status(std::string& plain)>& each);

  /// Returns whether the bytes end after a complete segment.
  bool AtEnd() const { return segments_ > 0 && !inside_; }
  std::size_t segments() const { return segments_; }

 private:
  struct Context;

  std::unique_ptr<Context> context_;
  std::string plain_;
  bool inside_ = false;
  std::size_t segments_ = 0;
};

}  // namespace kinetic::record
