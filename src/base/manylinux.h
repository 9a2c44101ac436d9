#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// Returns the platform tags of wheels that run with glibc 2.5 to 2.`newest_minor`, newest first:
/// "manylinux_2_17_x86_64", "manylinux2014_x86_64", ….
///
/// @source  PEP 600
std::vector<std::string> ManylinuxTags(int newest_minor, std::string_view machine);

/// Returns the minor version of glibc 2.x that a platform tag requires, or nullopt for other tags.
std::optional<int> GlibcMinorOf(std::string_view platform_tag);

}  // namespace kinetic
