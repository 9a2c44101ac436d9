#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic {

/// The platform tags of wheels that run with every GNU C library from 2.5 to 2.`newest_minor`,
/// those for the newest one first: "manylinux_2_17_x86_64", "manylinux2014_x86_64", ….
///
/// @source  PEP 600
std::vector<std::string> ManylinuxTags(int newest_minor, std::string_view machine);

/// The minor version of the GNU C library, 2.x, that a platform tag asks for. Nothing: it is no
/// such tag.
std::optional<int> GlibcMinorOf(std::string_view platform_tag);

}  // namespace kinetic
