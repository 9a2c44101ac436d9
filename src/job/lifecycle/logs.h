#pragma once

#include "base/time/clock.h"
#include "job/context.h"
#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// Reads a job's log: sealed segments from the store, the rest from the target. Segments may move
/// from the target to the store during the read. No record is lost or repeated, for any number of
/// readers.
/// @param has_ended  whether the index lists the job as ended; saves a listing.
Status ReadLogs(Context& context, std::string_view id, const LogOptions& options,
                const LogRecordSink& reader, std::stop_token stop, bool has_ended = false);

/// Reads the records that are available now, from `from` on, and sets it to the sequence number
/// after the last one that the reader got, also after an error.
Status ReadNewRecords(Context& context, std::string_view id, std::uint64_t& from,
                      const LogRecordSink& reader, const std::stop_token& stop, bool has_ended);

/// Tells a job's runner, through the store, that a client follows the log. The runner then uploads
/// new output every two seconds instead of every 30 seconds.
///
/// @threads  one thread at a time.
class FollowMarker {
 public:
  FollowMarker(store::Store& store, Clock& clock, std::string_view id);

  /// Renews the marker if it is older than ten seconds. Write errors are ignored, because they only
  /// delay the output.
  void Renew(const std::stop_token& stop);

 private:
  store::Store& store_;
  Clock& clock_;
  const std::string name_;
  std::optional<SteadyTime> renewed_;
};

}  // namespace kinetic::job
