#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::google {

/// The status of a build or of one of its steps.
///
/// @source https://cloud.google.com/build/docs/api/reference/rest/v1/projects.builds#Build.Status
enum class BuildStatus : std::uint8_t {
  kUnknown,  ///< not known to this version of kinetic
  kPending,
  kQueued,
  kWorking,
  kSuccess,
  kFailure,
  kInternalError,
  kTimeout,
  kCancelled,
  kExpired,  ///< queued for too long
};

/// Returns the API's name of a status: "INTERNAL_ERROR".
std::string_view ToString(BuildStatus status);
/// Returns whether the status is final. An unknown status is not.
bool IsTerminal(BuildStatus status);

/// A container that runs on the source.
struct BuildStep {
  std::string id;
  std::string image;  ///< "gcr.io/cloud-builders/docker"
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  ///< "NAME=value"
};

/// A build to be created.
struct BuildConfig {
  std::string source_bucket;
  std::string source_object;  ///< a .tar.gz
  std::int64_t source_generation = 0;
  std::vector<BuildStep> steps;
  std::vector<std::string> images;  ///< pushed when all steps have succeeded
  std::vector<std::string> tags;
  std::string logs;     ///< "gs://bucket/folder"
  std::string machine;  ///< "E2_HIGHCPU_8"; empty: the default
  std::string
      service_account;  ///< "projects/p/serviceAccounts/EMAIL"; empty: the project's default
  std::chrono::seconds timeout{3600};
};

/// The outcome of a step.
struct StepOutcome {
  std::string id;
  std::string image;
  BuildStatus status = BuildStatus::kUnknown;
  std::int64_t exit_code = 0;
};

/// A build as returned by the service.
struct Build {
  std::string id;
  BuildStatus status = BuildStatus::kUnknown;
  std::string status_detail;   ///< may be empty
  std::string failure;         ///< "PUSH_NOT_AUTHORIZED"; empty: unknown
  std::string failure_detail;  ///< may be empty
  std::string log_url;         ///< in the Google Cloud console; may be empty
  std::string created;         ///< RFC 3339, in UTC
  std::vector<std::string> tags;
  std::vector<StepOutcome> steps;
};

BuildStatus ParseBuildStatus(std::string_view name);

/// Returns the API's JSON for a new build. Leaves out fields that are not set, because the service
/// rejects unknown ones.
///
/// @source https://cloud.google.com/build/docs/api/reference/rest/v1/projects.builds#Build
Value ToValue(const BuildConfig& config);

/// @errors  kUnavailable: not a build.
Result<Build> ParseBuild(const Value& value);

}  // namespace kinetic::google
