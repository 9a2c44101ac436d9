#pragma once

#include "kinetic/result.h"

#include "record/job_key.h"
#include "store/object_store.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::record {

/// Time between two heartbeats, and before the first one.
inline constexpr std::chrono::seconds kHeartbeatInterval{30};
inline constexpr std::chrono::seconds kFirstHeartbeat{10};
/// A supervisor on another machine counts as dead if its heartbeat has not changed for this long, by
/// the steady clock of the process that observes it.
inline constexpr std::chrono::minutes kHeartbeatTimeout{5};

/// The contents of jobs/{id}/heartbeat: the supervisor of a job on a local target. The object's
/// lease is the time of the last heartbeat, for display.
struct Heartbeat {
  JobKey job;
  std::string host;             ///< for display
  std::string machine;          ///< identifies machine, boot and process namespace
  std::int64_t pid = 0;         ///< of the supervisor
  std::int64_t start_time = 0;  ///< field 22 of /proc/PID/stat
  std::string boot_id;
};

std::string ToJson(const Heartbeat& heartbeat);

/// @errors  kDataLoss · kFailedPrecondition: of a newer version.
Result<Heartbeat> HeartbeatFromJson(std::string_view json);

/// A heartbeat and its object, which each heartbeat changes.
struct StoredHeartbeat {
  Heartbeat heartbeat;
  store::ObjectInfo info;
};

/// Returns nullopt if the job has no heartbeat, or a damaged one.
Result<std::optional<StoredHeartbeat>> ReadHeartbeat(store::Store& store, const JobKey& job,
                                                     std::stop_token stop);

/// Writes a heartbeat: renews the lease, or creates the object. Does nothing if the job has no
/// record.
Status WriteHeartbeat(store::Store& store, const Heartbeat& heartbeat, const std::stop_token& stop);

}  // namespace kinetic::record
