#pragma once

#include <string_view>

namespace kinetic::spec {

/// The one variable of a job's `env` that begins with KINETIC_ and is the job's own to set: with
/// "no" nobody asks its frameworks whether they see its accelerators.
inline constexpr std::string_view kCheckDevicesVariable = "KINETIC_CHECK_DEVICES";

}  // namespace kinetic::spec
