#pragma once

#include "kinetic/cloud.h"
#include "kinetic/result.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/// The protocol between clients and a pod that builds packages: docs/reference/kubernetes.md,
/// "Package builds in the cluster".
namespace kinetic::pod {

/// The environment variable of the pod with a PackageBuildRequest. It is part of a manifest, so it
/// contains no secrets.
inline constexpr std::string_view kPackageBuildVariable = "KINETIC_PACKAGES";

/// The folder that the pod's containers share. Packages are built in it.
inline constexpr std::string_view kBuilderFolder = "/kinetic";
/// Paths in the shared folder: the runner and its dependencies, for images other than the runner
/// image. The loader is a symbolic link.
inline constexpr std::string_view kBuilderLoader = "builder/loader";
inline constexpr std::string_view kBuilderLibraries = "builder/lib";
inline constexpr std::string_view kBuilderProgram = "builder/bin/kinetic-runner";
inline constexpr std::string_view kBuilderCertificates = "builder/ca-certificates.crt";

/// The credentials of package indexes: env::PrivateUrls as a JSON object. Absent if there are none.
inline constexpr std::string_view kPrivateUrlsFile = "/kinetic-index/private-urls.json";

/// The termination message of a container, and its maximum size in Kubernetes.
inline constexpr std::string_view kTerminationFile = "/dev/termination-log";
inline constexpr std::size_t kTerminationBytes = 4096;

/// The prefix of kinetic's warnings in the log, which also has the output of installers.
inline constexpr std::string_view kWarningMark = "kinetic warns: ";

/// The packages to build.
struct PackageBuildRequest {
  std::string request_name;    ///< an object of the store: env::BuildRequest
  std::string request_sha256;  ///< 64 hex digits
  std::string store;           ///< argument of store::Open
  CloudOptions cloud;          ///< to access a bucket from a pod
};

std::string ToJson(const PackageBuildRequest& request);

/// @errors  kDataLoss: names the missing or invalid field.
Result<PackageBuildRequest> PackageBuildRequestFromJson(std::string_view json);

/// Writes the content of kPrivateUrlsFile.
std::string PrivateUrlsToJson(const std::map<std::string, std::string>& urls);
/// @errors  kDataLoss; the message contains nothing of the file.
Result<std::map<std::string, std::string>> PrivateUrlsFromJson(std::string_view json);

/// Writes the outcome of a build in at most kTerminationBytes. Removes the middle of longer
/// messages.
std::string OutcomeToJson(const Status& outcome);
/// Returns nullopt if the outcome is invalid.
std::optional<Status> OutcomeFromJson(std::string_view json);

}  // namespace kinetic::pod
