#pragma once

#include <string_view>

namespace kinetic::runner {

/// Writes the container's termination message, which `kubectl describe` shows and the client reads.
/// The kubelet creates the file; errors are ignored because it may not exist.
void WriteTerminationMessage(std::string_view message);

}  // namespace kinetic::runner
