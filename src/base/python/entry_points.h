#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kinetic {

/// Returns the scripts in an entry_points.txt (console_scripts and gui_scripts): name →
/// "module:object". Skips invalid lines, such as names with a '/'.
///
/// @source  https://packaging.python.org/en/latest/specifications/entry-points/
std::map<std::string, std::string> ParseEntryPoints(std::string_view entry_points);

/// Returns the script of an entry point, without its first line.
std::string EntryPointScript(std::string_view entry);

}  // namespace kinetic
