#pragma once

#include <span>
#include <string_view>

namespace kinetic::runner {

/// A source file of the Python shim in src/runner/shim.
struct ShimFile {
  std::string_view name;
  std::string_view content;
};

/// Returns the shim's files, embedded at build time.
std::span<const ShimFile> ShimFiles();

/// Returns src/runner/probe/device_probe.py, embedded at build time.
std::string_view DeviceProbeSource();

}  // namespace kinetic::runner
