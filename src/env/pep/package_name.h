#pragma once

#include <string>
#include <string_view>

namespace kinetic::env {

/// The normal form of a package's, extra's or group's name: lower case, runs of '-', '_' and '.' as
/// one '-'.
///
/// @source  https://packaging.python.org/en/latest/specifications/name-normalization/
std::string NormalizedName(std::string_view name);

/// Whether `name` may name a package: ASCII letters, digits, '-', '_' and '.', a letter or digit at
/// both ends.
bool IsPackageName(std::string_view name);

}  // namespace kinetic::env
