#pragma once

#include "kinetic/cloud.h"
#include "kinetic/explanation.h"
#include "kinetic/result.h"

#include "store/object_store.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// What the Kubernetes target and the runner in its pods agree on: docs/reference/kubernetes.md.

namespace kinetic::pod {

/// The variable of the collector's container that holds a CollectRequest. It is part of a manifest,
/// which many may read, and so nothing in it is secret.
inline constexpr std::string_view kCollectRequestVariable = "KINETIC_COLLECT";
/// Which pod it is, by the downward API.
inline constexpr std::string_view kPodUidVariable = "KINETIC_POD_UID";
inline constexpr std::string_view kPodNameVariable = "KINETIC_POD_NAME";
inline constexpr std::string_view kNodeVariable = "KINETIC_NODE";

/// What the collector is to do.
struct CollectRequest {
  std::string job_id;
  std::string record_sha256;  ///< 64 hex digits; the record is jobs/{id}/record.json
  std::string nonce;          ///< of the record
  std::string store;          ///< as store::Open takes it
  CloudOptions cloud;         ///< how a bucket is reached from a pod
  std::string image = {};     ///< of the program's container, for messages; may be empty
};

std::string ToJson(const CollectRequest& request);

/// @errors  kDataLoss: which member is missing or of another type.
Result<CollectRequest> CollectRequestFromJson(std::string_view json);

/// The object that tells a runner who stops it why: jobs/{id}/cancel. The first one counts.
std::string CancelName(std::string_view id);

/// Why a client ends a job.
struct StopCause {
  Cause cause = Cause::kCancelled;  ///< or kTooLate, or what can never go away
  std::string reason = {};          ///< for people; empty: the cause says enough
};

std::string ToJson(const StopCause& cause);

/// What the store has of it; nothing: nobody wanted the job ended. An object that cannot be read,
/// or names no cause, is a cancellation.
/// @errors  those of Store.
Result<std::optional<StopCause>> ReadStopCause(store::Store& store, std::string_view id,
                                               std::stop_token stop);

}  // namespace kinetic::pod
