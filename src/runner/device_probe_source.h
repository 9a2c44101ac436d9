#pragma once

#include <string_view>

namespace kinetic::runner {

/// src/runner/probe/device_probe.py, put into this program when it was built.
std::string_view DeviceProbeSource();

}  // namespace kinetic::runner
