#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kinetic::env {

/// The scripts that a wheel's entry_points.txt declares (console_scripts and gui_scripts): name →
/// "module:object". Lines that cannot be a script are left out: a name with a '/' names no file of
/// `bin`.
///
/// @source  https://packaging.python.org/en/latest/specifications/entry-points/
std::map<std::string, std::string> ScriptsOf(std::string_view entry_points);

/// The text of such a script, but its first line.
std::string ScriptText(std::string_view entry);

}  // namespace kinetic::env
