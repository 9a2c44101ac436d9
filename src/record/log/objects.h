#pragma once

#include "record/job_key.h"
#include "store/object_store.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

/// The objects that store a job's log: docs/reference/store.md, "Log segments".
namespace kinetic::record {

/// A log object in a listing.
struct LogObject {
  std::uint32_t attempt = 0;
  std::uint64_t first = 0;            ///< sequence number of its first record
  std::optional<std::uint64_t> next;  ///< sequence number after its last record
  /// Records from this number on belong to a newer attempt.
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  store::ObjectInfo info;
  JobKey owner;  ///< the job that the object names

  /// Returns whether the object is known to have no record from `sequence` on.
  bool EndsBefore(std::uint64_t sequence) const {
    return limit <= sequence || (next && *next <= sequence);
  }
};

struct LogListing {
  std::vector<LogObject> objects;                   ///< of host 0, by attempt and first record
  bool exists = false;                              ///< record.json exists
  bool ended = false;                               ///< result.json exists
  std::optional<store::ObjectInfo> damaged_folder;  ///< hides objects of the log
};

/// Lists the objects of a job's log. The end of an object that belongs to another job is unknown.
Result<LogListing> ListLog(store::Store& store, const JobKey& job, std::stop_token stop);

/// Returns the metadata of a log object, from which a listing can tell whose it is and where it
/// ends.
store::Metadata LogMetadata(const JobKey& job, std::uint64_t next_sequence);

}  // namespace kinetic::record
