#pragma once

#include "env/pep/requirement.h"

#include <string_view>
#include <vector>

namespace kinetic::env {

/// Changes when what AddAcceleratorExtras adds changes.
inline constexpr std::string_view kAcceleratorTemplate = "1";

/// Gives packages that can be had for several accelerators the extra that is meant for this one:
/// `jax` becomes `jax[tpu]` for "tpu" and `jax[cuda12]` for "gpu". A requirement that names extras
/// itself is left as it is.
///
/// @param category  "cpu", "gpu" or "tpu".
void AddAcceleratorExtras(std::vector<Requirement>& requirements, std::string_view category);

}  // namespace kinetic::env
