#pragma once

#include "kinetic/job.h"

#include "record/log_objects.h"
#include "store/store.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::record {

/// Where a reading of the stored log stopped.
struct LogPosition {
  std::uint64_t next_sequence = 0;  ///< the first record that was not there
  std::uint32_t attempt = 0;        ///< of the last record read; 0: none was
  std::uint64_t missing = 0;        ///< records left out inside: gaps that the store cannot fill
  bool exists = false;              ///< the job has a record
  bool ended = false;               ///< the job has a result: what is stored is all there will be
};

/// Told of a gap: so many records before the one that comes next.
using GapReader = std::function<Status(std::uint64_t missing)>;

/// A job's log as it is stored, read again and again while it grows. Segments may grow, be joined
/// and be replaced by a newer attempt's meanwhile: each record is given once.
///
/// @threads  one thread at a time.
class StoredLog {
 public:
  /// `store` outlives the object.
  StoredLog(store::Store& store, std::string_view id, std::uint64_t from_sequence)
      : store_(store), id_(id) {
    position_.next_sequence = from_sequence;
  }

  /// Passes on what is there and was not passed on before: one listing, and of the objects only
  /// bytes that were not read before. When `ended` was true before, nothing can be new.
  ///
  /// @param gap  may be empty.
  /// @errors  kDataLoss (a segment is damaged; the message names it) · those of Store, `each`,
  /// `gap`.
  Status Read(const LogReader& each, const GapReader& gap, const std::stop_token& stop);

  /// Leaves out the records before that one: they came from elsewhere.
  void SkipTo(std::uint64_t sequence);

  const LogPosition& position() const { return position_; }

 private:
  /// What kept a pass over a listing from its end.
  enum class Halt : std::uint8_t { kNo, kGone, kGap };

  struct Gap {
    std::uint64_t from = 0, to = 0;
    bool operator==(const Gap&) const = default;
  };

  Result<Halt> ReadObjects(const LogListing& listing, const LogReader& each,
                           const std::stop_token& stop);
  Result<bool> ReadObject(const LogObject& object, const LogReader& each,
                          const std::stop_token& stop);
  Status Pass(const LogRecord& record, std::uint64_t limit, const LogReader& each);

  store::Store& store_;
  const std::string id_;
  LogPosition position_;
  std::optional<Gap> gap_;  ///< seen by the last pass
  /// Of the object read last: its bytes up to here have been read, records up to there.
  std::string last_name_;
  std::uint64_t last_bytes_ = 0;
  std::uint64_t last_next_ = 0;
};

/// Passes the records of a job's stored log to `each`, in order of sequence, from `from_sequence`
/// on.
Result<LogPosition> ReadStoredLog(store::Store& store, std::string_view id,
                                  std::uint64_t from_sequence, const LogReader& each,
                                  std::stop_token stop);

/// The number after the last record of a job's stored log.
Result<std::uint64_t> StoredRecords(store::Store& store, std::string_view id,
                                    const std::stop_token& stop);

}  // namespace kinetic::record
