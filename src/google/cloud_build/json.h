#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "google/cloud_build/build.h"

#include <string_view>

namespace kinetic::google {

BuildStatus StatusFrom(std::string_view name);

/// The resource that makes a build. Members that are not set are left out: the service refuses what
/// it does not know.
///
/// @source https://cloud.google.com/build/docs/api/reference/rest/v1/projects.builds#Build
Value ToValue(const BuildOrder& order);

/// @errors  kUnavailable: it is no build.
Result<Build> BuildFrom(const Value& value);

}  // namespace kinetic::google
