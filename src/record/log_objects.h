#pragma once

#include "store/store.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

/// The objects that a job's log is stored in: docs/reference/store.md, "Log segments".
namespace kinetic::record {

/// One of them, as a listing shows it.
struct LogObject {
  std::uint32_t attempt = 0;
  std::uint64_t first = 0;            ///< the number of its first record
  std::optional<std::uint64_t> next;  ///< the number after its last record
  /// The records from here on are a newer attempt's.
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  store::ObjectInfo info;

  /// Whether it is known to have no record from `sequence` on.
  bool EndsBefore(std::uint64_t sequence) const {
    return limit <= sequence || (next && *next <= sequence);
  }
};

struct LogListing {
  std::vector<LogObject> objects;  ///< of host 0, in order of attempt and place
  bool exists = false;             ///< record.json is there
  bool ended = false;              ///< result.json is there
};

/// Everything that is stored of a job's log: one listing.
Result<LogListing> ListLog(store::Store& store, std::string_view id, std::stop_token stop);

/// What goes with a log object, so that a listing shows where it ends.
store::Metadata LogMetadata(std::uint64_t next_sequence);

}  // namespace kinetic::record
