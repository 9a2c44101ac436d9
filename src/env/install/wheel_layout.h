#pragma once

#include "base/files/file_system.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace kinetic::env {

struct WheelLayout {
  std::string python;  ///< minor version of the environment: "3.12"
  std::string prefix;  ///< path of the environment where jobs run
};

/// Moves the files of one wheel that an installer created below `installed`
/// (`lib/python3.11/site-packages/…`, `bin/…`, `share/…`, of any Python) to `folder`, on the same
/// file system, in the layout of InstallPackage.
///
/// @errors  kFailedPrecondition: no wheel metadata, or two files for one path · those of the file
///          system.
Status NormalizeWheelLayout(FileSystem& fs, const Path& installed, const Path& folder,
                            const WheelLayout& layout);

/// Returns the scripts in a wheel's entry_points.txt (console_scripts and gui_scripts): name →
/// "module:object". Skips invalid lines, such as names with a '/'.
///
/// @source  https://packaging.python.org/en/latest/specifications/entry-points/
std::map<std::string, std::string> ParseEntryPoints(std::string_view entry_points);

/// Returns the script of an entry point, without its first line.
std::string EntryPointScript(std::string_view entry);

/// Returns the first line of a Python script in an environment at `prefix`: "#!/x/bin/python".
std::string ShebangLine(std::string_view prefix);

/// Replaces the first line of a script that names a Python by path, or by the placeholder
/// `#!python`. Options after the path are dropped, as installers do. For paths too long for a first
/// line, installers write three lines that are valid in a shell and in Python; all are replaced.
/// Returns nullopt for other programs, and for scripts that find Python with `env`.
std::optional<std::string> ReplaceShebang(std::string_view script, std::string_view first_line);

}  // namespace kinetic::env
