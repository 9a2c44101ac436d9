#pragma once

#include <algorithm>
#include <array>

namespace kinetic::pod {

/// Exit codes that a node reports for a container of which it does not know more: its runtime could
/// not start it, for example because the kubelet was restarted meanwhile, or its supervising process
/// was killed. Programs that exit with them exit with kExitCodeInResult instead.
///
/// @source  kubelet 1.34: reason StartError · containerd 1.7 and 2.1: UnknownExitStatus
inline constexpr std::array kNodeFailureCodes{128, 255};

/// Returns whether a node failed, and not the container.
inline bool IsNodeFailure(int exit_code) {
  return std::ranges::find(kNodeFailureCodes, exit_code) != kNodeFailureCodes.end();
}

}  // namespace kinetic::pod
