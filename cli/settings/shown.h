#pragma once

#include "settings/table.h"

#include <string>

namespace kinetic::cli {

/// A setting's value as it may be shown: an access token is "[secret]", an address goes without its
/// password.
std::string Shown(const SettingInfo& info, const std::string& text);

}  // namespace kinetic::cli
