#pragma once

#include "kinetic/profile.h"
#include "kinetic/result.h"

#include "context.h"

#include <string>

namespace kinetic::cli {

/// Saves the profile for jobs on a GKE cluster in the configuration file. Settings that the profile
/// leaves empty are kept.
Status SaveProfile(const Profile& profile, Context& context);
/// Same, and makes it the current profile.
Status SaveAndUseProfile(const Profile& profile, Context& context);

/// Saves it before the cluster exists, so that `kinetic down` finds what was created. Makes it the
/// current profile only if there is none. Prints nothing.
Status PrepareProfile(const Profile& profile, Context& context);

/// Stops using the profile of a deleted cluster. Removes it if nothing is left that it could show.
/// Warns if the configuration file cannot be changed.
void ReleaseProfile(const Profile& profile, bool remove, Context& context);

/// Returns the command that creates the profile and uses it.
std::string ProfileCommand(const Profile& profile);

}  // namespace kinetic::cli
