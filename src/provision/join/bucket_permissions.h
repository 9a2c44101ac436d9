#pragma once

#include "kinetic/health.h"

#include "provision/scope.h"

#include <optional>
#include <stop_token>

namespace kinetic::provision {

/// Checks that the caller can read, write and delete objects in the bucket. Returns nullopt if the
/// bucket does not exist.
///
/// @source  https://cloud.google.com/storage/docs/json_api/v1/buckets/testIamPermissions
std::optional<HealthCheck> CheckBucketPermissions(const Scope& scope, std::stop_token stop);

}  // namespace kinetic::provision
