#pragma once

#include "kinetic/job.h"

#include "base/clock.h"

#include <string>
#include <string_view>
#include <vector>

namespace kinetic::record {

/// A moment in an attempt: "claimed", "fetched", "unpacked", "started", "returned", "collected".
struct Moment {
  std::string name;
  WallTime time;
  std::string detail;  ///< "12.3 MiB, 2000 files"; may be empty
};

/// How much of something has come.
struct Progress {
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;  ///< 0 while it is not known
  bool operator==(const Progress&) const = default;
};

/// How an attempt stands: status.json, replaced whenever it changes. Never the truth about the end:
/// that is result.json.
struct AttemptStatus {
  std::string id;
  std::uint32_t attempt = 1;
  std::uint32_t host = 0;
  JobState state = JobState::kQueued;
  Phase phase = Phase::kQueue;
  std::string reason;             ///< "waiting for 2 jobs"; may be empty
  Progress fetched;               ///< of the bundle or the data that it waits for
  std::uint64_t log_records = 0;  ///< captured so far
  std::vector<Moment> timeline;
};

std::string ToJson(const AttemptStatus& status);
Result<AttemptStatus> StatusFromJson(std::string_view json);

}  // namespace kinetic::record
