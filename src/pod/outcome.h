#pragma once

#include "kinetic/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::pod {

/// The termination message of a container, and its maximum size in Kubernetes.
inline constexpr std::string_view kTerminationFile = "/dev/termination-log";
inline constexpr std::size_t kTerminationBytes = 4096;

/// Writes the outcome of a container in at most kTerminationBytes. Removes the middle of longer
/// messages.
std::string OutcomeToJson(const Status& outcome);
/// Returns nullopt if the outcome is invalid.
std::optional<Status> OutcomeFromJson(std::string_view json);

}  // namespace kinetic::pod
