#pragma once

#include <string>
#include <string_view>

namespace kinetic::google {

/// Returns whether a message of Compute Engine says that a zone has no capacity.
///
/// @source  https://cloud.google.com/compute/docs/troubleshooting/troubleshooting-resource-availability
bool IsStockOut(std::string_view message);

/// Returns what to do about a message of Compute Engine about capacity, quota, or addresses, or "".
std::string AdviceFor(std::string_view message);

}  // namespace kinetic::google
