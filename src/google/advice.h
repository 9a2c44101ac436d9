#pragma once

#include <string>
#include <string_view>

namespace kinetic::google {

/// Returns whether a message of Compute Engine is about a zone without capacity.
///
/// @source  https://cloud.google.com/compute/docs/troubleshooting/troubleshooting-resource-availability
bool IsStockOut(std::string_view message);

/// Returns what to do about a message of Compute Engine about capacity, quota, or addresses, or "".
std::string AdviceFor(std::string_view message);

/// Returns whether a message is about missing quota.
bool LacksQuota(std::string_view message);

/// Returns whether the caller may not use a service account for nodes or builds. GKE responds with 400
/// or 403.
bool MustActAs(std::string_view message);

}  // namespace kinetic::google
