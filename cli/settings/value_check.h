#pragma once

#include "kinetic/result.h"

#include "settings/table.h"

#include <string>
#include <string_view>

namespace kinetic::cli {

/// Whether a text is a value that the setting can have.
///
/// @param what  named in the error: "--color", "KINETIC_COLOR", "color".
Status CheckSetting(const SettingInfo& info, std::string_view what, const std::string& text);

/// Profile names are letters, digits, '-', '_' and '.', at most 63 of them.
Status CheckProfileName(std::string_view name);

}  // namespace kinetic::cli
