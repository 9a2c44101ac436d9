#pragma once

#include "kinetic/cloud.h"
#include "kinetic/result.h"

#include "base/files/file_system.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kinetic::local {

/// What the client tells the supervisor, once, over its standard input: the only place where secret
/// values are written down, and it is a pipe.
struct LaunchRequest {
  std::string job_id;
  std::string record_sha256;  ///< 64 hex digits; the record is jobs/{id}/record.json
  std::string store;          ///< as store::Open takes it
  Path state_dir;
  Path python;              ///< the environment's interpreter; empty for jobs without one
  Path environment_root;    ///< the virtual environment's folder; empty without one
  std::string search_path;  ///< PATH of the job, after the environment's bin
  std::uint32_t concurrency = 1;
  Path data_cache;                             ///< as LocalTargetOptions has it; may be empty
  std::map<std::string, std::string> secrets;  ///< by name
  CloudOptions cloud;                          ///< for a store in a bucket
};

std::string ToJson(const LaunchRequest& request);
Result<LaunchRequest> LaunchRequestFromJson(std::string_view json);

/// What the supervisor answers on its standard output once it holds the lock and status.json is
/// there.
inline constexpr std::string_view kSupervisorReady = "ready\n";

}  // namespace kinetic::local
