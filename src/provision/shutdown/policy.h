#pragma once

#include "kinetic/result.h"

#include "base/time/clock.h"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::provision {

/// When a CronJob deletes its cluster. Stored in the CronJob.
struct ShutdownPolicy {
  std::string project;
  std::string zone;
  std::string cluster;
  std::optional<WallTime> deadline;               ///< nullopt: none
  std::optional<std::chrono::seconds> idle_time;  ///< without jobs; nullopt: any
  std::string api_endpoint;                       ///< as CloudOptions::api_endpoint

  bool IsActive() const { return deadline || idle_time; }
  bool operator==(const ShutdownPolicy&) const = default;
};

std::string ToJson(const ShutdownPolicy& policy);

/// @errors  kDataLoss: names the field that is missing or has another type.
Result<ShutdownPolicy> ShutdownPolicyFromJson(std::string_view json);

/// When a cluster last had a job.
struct ClusterUse {
  bool has_jobs = false;  ///< at least one job is waiting or running
  WallTime last;          ///< time of the last job, or of the CronJob's creation
};

/// Returns why a cluster is to be deleted now, or nullopt: "its time limit ended at …".
///
/// @param use  nullopt: unknown; only the deadline decides.
std::optional<std::string> ReasonToShutDown(const ShutdownPolicy& policy,
                                            const std::optional<ClusterUse>& use, WallTime now);

}  // namespace kinetic::provision
