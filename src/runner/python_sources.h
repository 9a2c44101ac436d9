#pragma once

#include <span>
#include <string_view>

namespace kinetic::runner {

/// One source file of the Python shim, as src/runner/shim has it.
struct ShimFile {
  std::string_view name;
  std::string_view content;
};

/// All of them, put into this program when it was built.
std::span<const ShimFile> ShimFiles();

/// src/runner/probe/device_probe.py, likewise.
std::string_view DeviceProbeSource();

}  // namespace kinetic::runner
