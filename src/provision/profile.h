#pragma once

#include "kinetic/profile.h"

#include "provision/scope.h"

#include <string>

namespace kinetic::provision {

/// Returns the profile for jobs on a cluster.
///
/// @param runner_image  "REGISTRY/runner:TAG@DIGEST", in the cluster's repository; may be empty.
Profile ProfileOf(const Scope& scope, const std::string& runner_image);

}  // namespace kinetic::provision
