#pragma once

#include "kinetic/job.h"

#include "record/log/objects.h"
#include "store/object_store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

namespace kinetic::record {

/// How far a stored log was read.
struct LogPosition {
  std::uint64_t next_sequence = 0;  ///< the first record that was not stored
  std::uint32_t attempt = 0;        ///< of the last record read; 0: none
  std::uint64_t missing = 0;        ///< records skipped because the store lacks them
  bool exists = false;              ///< the job has a record
  bool ended = false;               ///< the job has a result: no more records will follow
};

/// Called when `missing` records before the next one are not stored.
using GapCallback = std::function<Status(std::uint64_t missing)>;

/// Reads a stored log repeatedly while it grows. Meanwhile, segments may grow, be joined, and be
/// superseded by a newer attempt. Each record is returned once.
///
/// @threads  one thread at a time.
class StoredLog {
 public:
  /// `store` must outlive this object.
  StoredLog(store::Store& store, JobKey job, std::uint64_t from_sequence)
      : store_(store), job_(std::move(job)) {
    position_.next_sequence = from_sequence;
  }

  /// Passes new records to `each`. Sends one listing, and reads only new bytes of the objects. Once
  /// `ended` is true, there are no new records.
  ///
  /// @param gap  may be empty.
  /// @errors  kDataLoss (a damaged segment, or one of another job; the message names it) · those of
  ///          Store, `each`, `gap`.
  Status Read(const LogRecordSink& each, const GapCallback& gap, const std::stop_token& stop);

  /// Skips the records before `sequence`.
  void SkipTo(std::uint64_t sequence);

  const LogPosition& position() const { return position_; }

 private:
  /// Why ReadObjects stopped: it read all objects, an object was removed, or records are missing.
  enum class Stop : std::uint8_t { kEnd, kRemoved, kGap };

  struct Gap {
    std::uint64_t from = 0, to = 0;
    bool operator==(const Gap&) const = default;
  };

  Result<Stop> ReadObjects(const LogListing& listing, const LogRecordSink& each,
                           const std::stop_token& stop);
  Result<bool> ReadObject(const LogObject& object, const LogRecordSink& each,
                          const std::stop_token& stop);
  Status Emit(const LogRecord& record, std::uint64_t limit, const LogRecordSink& each);

  store::Store& store_;
  const JobKey job_;
  LogPosition position_;
  std::optional<Gap> gap_;  ///< found by the last ReadObjects
  /// The object that was read last, and how many of its bytes and records were read.
  std::string last_name_;
  std::uint64_t last_bytes_ = 0;
  std::uint64_t last_next_ = 0;
};

/// Passes the records of a stored log from `from_sequence` on to `each`, in order.
Result<LogPosition> ReadStoredLog(store::Store& store, const JobKey& job,
                                  std::uint64_t from_sequence, const LogRecordSink& each,
                                  std::stop_token stop);

/// Returns the sequence number after the last record of a stored log, or after the last record
/// before a damaged segment.
Result<std::uint64_t> CountLogRecords(store::Store& store, const JobKey& job,
                                      const std::stop_token& stop);

}  // namespace kinetic::record
