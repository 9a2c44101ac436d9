#pragma once

#include "kinetic/cloud.h"
#include "kinetic/result.h"

#include <string>
#include <string_view>

namespace kinetic::pod {

/// The environment variable of a pod that checks its access to the store: a StoreProbeRequest. It
/// is part of a manifest, so it contains no secrets.
inline constexpr std::string_view kStoreProbeVariable = "KINETIC_STORE_PROBE";

/// The store that a pod checks. The pod reports the outcome as a package build does.
struct StoreProbeRequest {
  std::string store;   ///< argument of store::Open
  CloudOptions cloud;  ///< to access a bucket from a pod
};

std::string ToJson(const StoreProbeRequest& request);

/// @errors  kDataLoss: names the missing or invalid field.
Result<StoreProbeRequest> StoreProbeRequestFromJson(std::string_view json);

}  // namespace kinetic::pod
