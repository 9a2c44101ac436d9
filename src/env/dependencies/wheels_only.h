#pragma once

#include "kinetic/result.h"

#include "env/dependencies/index_settings.h"

#include <string_view>

namespace kinetic::env {

/// Makes wheels the only form in which packages are taken: nothing is built for a pod.
/// @errors  kInvalidArgument: a package is wanted as source (`--no-binary`).
Status TakeWheelsOnly(IndexSettings& index);

/// Whether a direct reference is to a wheel; one without a URL is no matter here.
/// @errors  kInvalidArgument: it is not.
Status CheckWheelUrl(std::string_view package, std::string_view url);

}  // namespace kinetic::env
