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

/// How far a build of Cloud Build is.
///
/// @source https://cloud.google.com/build/docs/api/reference/rest/v1/projects.builds#Build.Status
enum class BuildStatus : std::uint8_t {
  kUnknown,  ///< one that is newer than this program
  kPending,
  kQueued,
  kWorking,
  kSuccess,
  kFailure,
  kInternalError,
  kTimeout,
  kCancelled,
  kExpired,  ///< it waited for a machine longer than it was to
};

/// "INTERNAL_ERROR"
std::string_view Name(BuildStatus status);
/// Whether nothing comes after it. An unknown one is not: what ends a build is known.
bool HasEnded(BuildStatus status);

/// A container that runs over the source.
struct BuildStep {
  std::string id;
  std::string image;  ///< "gcr.io/cloud-builders/docker"
  std::vector<std::string> arguments;
  std::vector<std::string> environment;  ///< "NAME=value"
};

/// What is to be built, where it runs, and where its log goes.
struct BuildOrder {
  std::string source_bucket;
  std::string source_object;  ///< a .tar.gz
  std::int64_t source_generation = 0;
  std::vector<BuildStep> steps;
  std::vector<std::string> images;  ///< pushed when all steps have succeeded
  std::vector<std::string> tags;
  std::string logs;             ///< "gs://bucket/folder"
  std::string machine;          ///< "E2_HIGHCPU_8"; empty: the smallest one
  std::string service_account;  ///< "projects/p/serviceAccounts/EMAIL"; empty: the project's own
  std::chrono::seconds timeout{3600};
};

/// How a step went.
struct StepOutcome {
  std::string id;
  std::string image;
  BuildStatus status = BuildStatus::kUnknown;
  std::int64_t exit_code = 0;
};

/// A build as the service describes it.
struct Build {
  std::string id;
  BuildStatus status = BuildStatus::kUnknown;
  std::string status_detail;   ///< for people; may be empty
  std::string failure;         ///< "PUSH_NOT_AUTHORIZED"; empty: it does not say
  std::string failure_detail;  ///< for people; may be empty
  std::string log_url;         ///< its page in the console; may be empty
  std::string created;         ///< RFC 3339, in UTC
  std::vector<std::string> tags;
  std::vector<StepOutcome> steps;
};

BuildStatus StatusFrom(std::string_view name);

/// The resource that makes a build. Members that are not set are left out: the service refuses what
/// it does not know.
///
/// @source https://cloud.google.com/build/docs/api/reference/rest/v1/projects.builds#Build
Value ToValue(const BuildOrder& order);

/// @errors  kUnavailable: it is no build.
Result<Build> BuildFrom(const Value& value);

}  // namespace kinetic::google
