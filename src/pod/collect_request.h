#pragma once

#include "kinetic/cloud.h"
#include "kinetic/explanation.h"
#include "kinetic/result.h"

#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// The protocol between clients and the collector in a pod: docs/reference/kubernetes.md.

namespace kinetic::pod {

/// The environment variable of the collector's container with a CollectRequest. It is part of a
/// manifest, so it contains no secrets.
inline constexpr std::string_view kCollectRequestVariable = "KINETIC_COLLECT";
/// Variables set by the downward API.
inline constexpr std::string_view kPodUidVariable = "KINETIC_POD_UID";
inline constexpr std::string_view kPodNameVariable = "KINETIC_POD_NAME";
inline constexpr std::string_view kNodeVariable = "KINETIC_NODE";

/// The job that a collector handles.
struct CollectRequest {
  std::string job_id;
  std::string record_sha256;  ///< 64 hex digits; the record is jobs/{id}/record.json
  std::string nonce;          ///< of the record
  std::string store;          ///< argument of store::Open
  CloudOptions cloud;         ///< to access a bucket from a pod
  std::string image = {};     ///< of the program's container, for messages; may be empty
};

std::string ToJson(const CollectRequest& request);

/// @errors  kDataLoss: names the missing or invalid field.
Result<CollectRequest> CollectRequestFromJson(std::string_view json);

/// The variable with the task of an array that a pod runs. Kubernetes sets it in all containers.
inline constexpr std::string_view kTaskVariable = "JOB_COMPLETION_INDEX";

/// Returns the name of the object with the StopCause of a job or a task: jobs/{id}/cancel, written
/// once.
std::string CancelName(std::string_view id);

/// Why a client stopped a job.
struct StopCause {
  Cause cause = Cause::kCancelled;  ///< or kStartTimeout, or a permanent cause
  std::string reason = {};          ///< for display; may be empty
};

std::string ToJson(const StopCause& cause);

/// Reads the StopCause of a job, or that of a task or else of its job. Returns nullopt if there is
/// none, and a cancellation if it is invalid.
///
/// @errors  those of Store.
Result<std::optional<StopCause>> ReadStopCause(store::Store& store, std::string_view id,
                                               std::stop_token stop);

}  // namespace kinetic::pod
