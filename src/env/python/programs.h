#pragma once

#include <string_view>

namespace kinetic::env {

/// pip, with the markers of another Python and machine: pip itself asks them of the Python that it
/// runs on, whatever it is told by --platform and --python-version.
///
/// Arguments: a JSON object of marker variables, then pip's own.
extern const std::string_view kPipWithMarkers;

/// Unpacks a wheel as an installer lays it into a prefix, but for the scripts that its entry points
/// declare; for pip, which installs nothing outside a flat folder for another platform, and loses
/// data files in `lib/` there.
///
/// Arguments: the wheel, the prefix, Python's minor version, the package's name.
/// @source  https://packaging.python.org/en/latest/specifications/binary-distribution-format/
extern const std::string_view kUnpackWheel;

/// Compiles the modules below `lib/` of a folder; see CompileModules.
///
/// Arguments: the folder, and where it will lie.
extern const std::string_view kCompileModules;

}  // namespace kinetic::env
