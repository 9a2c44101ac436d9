#pragma once

#include <algorithm>
#include <array>

namespace kinetic::pod {

/// Exit codes that a node reports for a container without an exit code of its own: the runtime could
/// not start the container, for example during a restart of the kubelet, or its shim was killed. If
/// a program exits with one of them, its container exits with kExitCodeInResult instead.
///
/// @source  kubelet 1.34: reason StartError · containerd 1.7 and 2.1: UnknownExitStatus
inline constexpr std::array kNodeFailureCodes{128, 255};

/// Returns whether a node failed, and not the container.
inline bool IsNodeFailure(int exit_code) {
  return std::ranges::find(kNodeFailureCodes, exit_code) != kNodeFailureCodes.end();
}

}  // namespace kinetic::pod
