#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::env {

/// Returns the numbers of a version: {3, 14, 0} for "3.14.0rc1". Returns an empty list if it is not
/// a version of CPython.
std::vector<std::int64_t> VersionNumbers(std::string_view version);

/// Returns the minor version of a Python: "3.12" for "3.12.4".
std::string MinorVersion(std::string_view python);

/// Returns whether a project's `requires-python` allows a patch version of `minor` ("3.12").
/// Clauses that are not simple comparisons are left to uv.
///
/// @source  https://packaging.python.org/en/latest/specifications/version-specifiers/
bool AllowsPython(std::string_view requires_python, std::string_view minor);

}  // namespace kinetic::env
