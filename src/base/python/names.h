#pragma once

#include <string>
#include <string_view>

namespace kinetic {

/// Returns the normal form of a package, extra or group name: lower case, with runs of '-', '_' and
/// '.' replaced by one '-'.
///
/// @source  https://packaging.python.org/en/latest/specifications/name-normalization/
std::string NormalizedName(std::string_view name);

/// Returns the normalized name of the package at the start of a requirement: "a-b" for "A_b[x]>=1".
std::string NameOfRequirement(std::string_view requirement);

}  // namespace kinetic
