#pragma once

#include "kinetic/profile.h"

#include "settings/table.h"

#include <string>
#include <utility>
#include <vector>

namespace kinetic::cli {

/// Returns the settings of a profile for jobs on a GKE cluster. Empty texts are left out.
std::vector<std::pair<SettingId, std::string>> SettingsOf(const Profile& profile);

/// Returns the command that creates the profile and uses it.
std::string ProfileCommand(const Profile& profile);

}  // namespace kinetic::cli
