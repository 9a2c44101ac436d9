#pragma once

#include <string_view>

namespace kinetic::jobspec {

/// The only KINETIC_ variable that a job may set in `env`. "no" disables the check that frameworks
/// see the accelerators.
inline constexpr std::string_view kCheckDevicesVariable = "KINETIC_CHECK_DEVICES";

}  // namespace kinetic::jobspec
