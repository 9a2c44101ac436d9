#pragma once

#include "kinetic/job.h"

#include "base/time/clock.h"
#include "record/job_key.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::record {

/// Part of a status's reason if the store rejected the runner's credential (401).
inline constexpr std::string_view kCredentialRejected = "the store rejected the credential";

/// An event in an attempt: "claimed", "fetched", "unpacked", "started", "returned", "collected".
struct Moment {
  std::string name;
  WallTime time;
  std::string detail;  ///< "12.3 MiB, 2000 files"; may be empty
};

/// The progress of a download.
struct Progress {
  std::uint64_t done_bytes = 0;
  std::uint64_t total_bytes = 0;  ///< 0 while it is unknown
  bool operator==(const Progress&) const = default;
};

/// The contents of status.json: the state of an attempt, replaced whenever it changes. The final
/// state of the job is in result.json.
struct AttemptStatus {
  std::string id;
  std::string nonce;  ///< of the job's record; empty for a job observed on a cluster
  std::uint32_t attempt = 1;
  std::uint32_t host = 0;
  JobState state = JobState::kQueued;
  Phase phase = Phase::kQueue;
  std::string reason;             ///< "waiting for 2 jobs"; may be empty
  Progress fetched;               ///< download of the bundle or the data
  std::uint64_t log_records = 0;  ///< captured until now
  std::vector<Moment> timeline;
  std::optional<TaskCounts> tasks = {};  ///< of an array
};

std::string ToJson(const AttemptStatus& status);

/// @errors  kDataLoss: not a status · kFailedPrecondition: of a newer version.
Result<AttemptStatus> StatusFromJson(std::string_view json);

}  // namespace kinetic::record
