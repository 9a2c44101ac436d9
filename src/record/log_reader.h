#pragma once

#include "kinetic/job.h"

#include "store/store.h"

#include <cstdint>
#include <stop_token>
#include <string_view>

namespace kinetic::record {

/// Where a reading of the stored log stopped.
struct LogPosition {
  std::uint64_t next_sequence = 0;  ///< the first record that was not there
  std::uint32_t attempt = 0;        ///< of the last record read; 0: none was
  std::uint64_t missing = 0;        ///< records left out inside: gaps that the store cannot fill
};

/// Passes the records of all sealed segments of a job's log to `each`, in order of sequence, from
/// `from_sequence` on. Segments that overlap (a runner that was killed after sealing and began
/// again) give each record once.
///
/// @errors  kDataLoss (a segment is damaged; the message names it) · those of Store and of `each`.
Result<LogPosition> ReadStoredLog(store::Store& store, std::string_view id,
                                  std::uint64_t from_sequence, const LogReader& each,
                                  std::stop_token stop);

}  // namespace kinetic::record
