#pragma once

#include <string_view>

namespace kinetic::jobspec {

/// Returns what to write instead of a key of the job files of other tools, such as SkyPilot, Docker
/// Compose and Kubernetes, or an empty text for other keys.
///
/// @param path  of the map that contains the key: "" or "resources".
std::string_view ForeignKeyAdvice(std::string_view path, std::string_view key);

}  // namespace kinetic::jobspec
