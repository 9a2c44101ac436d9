#pragma once

#include "kinetic/result.h"

#include "env/dependencies/index_settings.h"
#include "env/pep/requirement.h"

#include <string_view>
#include <vector>

namespace kinetic::env {

/// Version of AddAcceleratorExtras, part of manifest keys.
inline constexpr std::string_view kAcceleratorTemplate = "1";

/// Adds the accelerator's extra to packages that have one: `jax` becomes `jax[tpu]` for "tpu" and
/// `jax[cuda12]` for "gpu". Requirements that list extras are not changed.
///
/// @param category  "cpu", "gpu" or "tpu".
void AddAcceleratorExtras(std::vector<Requirement>& requirements, std::string_view category);

/// Restricts packages to wheels, because pods do not build from source.
/// @errors  kInvalidArgument: a package is required as source (`--no-binary`).
Status RequireWheels(IndexSettings& index);

/// Checks that a direct reference is to a wheel; an empty `url` passes.
/// @errors  kInvalidArgument: it is not a wheel.
Status CheckWheelUrl(std::string_view package, std::string_view url);

}  // namespace kinetic::env
