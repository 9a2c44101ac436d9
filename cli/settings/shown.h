#pragma once

#include "settings/table.h"

#include <string>

namespace kinetic::cli {

/// Returns a setting's value for display. An access token becomes "[secret]", and a password in an
/// address is removed.
std::string Shown(const SettingInfo& info, const std::string& text);

}  // namespace kinetic::cli
