#pragma once

#include "kinetic/cloud.h"
#include "kinetic/result.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

/// What the Kubernetes target and the runner agree on where a pod makes packages:
/// docs/reference/kubernetes.md, "Package builds in the cluster".
namespace kinetic::pod {

/// The variable of the pod that holds a PackageBuildRequest. It is part of a manifest, which many
/// may read, and so nothing in it is secret.
inline constexpr std::string_view kPackageBuildVariable = "KINETIC_PACKAGES";

/// Where the pod's containers share what follows, and where packages are made.
inline constexpr std::string_view kBuilderFolder = "/kinetic";
/// Of the shared folder: the runner with all that it needs, for an image that is not its own. The
/// loader is a link, whatever its name.
inline constexpr std::string_view kBuilderLoader = "maker/loader";
inline constexpr std::string_view kBuilderLibraries = "maker/lib";
inline constexpr std::string_view kBuilderProgram = "maker/bin/kinetic-runner";
inline constexpr std::string_view kBuilderCertificates = "maker/ca-certificates.crt";

/// The credentials of package indexes: env::PrivateUrls as a JSON object; absent: there are none.
inline constexpr std::string_view kPrivateUrlsFile = "/kinetic-index/private-urls.json";

/// Where a container says how it ended, and how much of it Kubernetes keeps.
inline constexpr std::string_view kTerminationFile = "/dev/termination-log";
inline constexpr std::size_t kTerminationBytes = 4096;

/// What a line of the log begins with that is a warning, and no output of an installer's.
inline constexpr std::string_view kWarningMark = "kinetic warns: ";

/// What is to be made.
struct PackageBuildRequest {
  std::string order;         ///< an object of the store: env::PackagesOrder
  std::string order_sha256;  ///< 64 hex digits
  std::string store;         ///< as store::Open takes it
  CloudOptions cloud;        ///< how a bucket is reached from a pod
};

std::string ToJson(const PackageBuildRequest& request);

/// @errors  kDataLoss: which member is missing or of another type.
Result<PackageBuildRequest> PackageBuildRequestFromJson(std::string_view json);

/// The credentials as the file has them.
std::string PrivateUrlsToJson(const std::map<std::string, std::string>& urls);
/// @errors  kDataLoss; no content of the file is in the message.
Result<std::map<std::string, std::string>> PrivateUrlsFromJson(std::string_view json);

/// How it ended, in kTerminationBytes at most: of a longer message its beginning and its end.
std::string OutcomeToJson(const Status& outcome);
/// Nothing: it says nothing that can be read.
std::optional<Status> OutcomeFromJson(std::string_view json);

}  // namespace kinetic::pod
