#pragma once

#include "kinetic/result.h"

#include "settings/table.h"

#include <string>
#include <string_view>

namespace kinetic::cli {

/// Checks that a text is a valid value of the setting.
///
/// @param what  the name to use in the error: "--color", "KINETIC_COLOR", "color".
Status CheckSetting(const SettingInfo& info, std::string_view what, const std::string& text);

/// Checks a profile name: at most 63 letters, digits, '-', '_' and '.'.
Status CheckProfileName(std::string_view name);

}  // namespace kinetic::cli
