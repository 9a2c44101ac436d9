#pragma once

#include "kinetic/client.h"

#include <string_view>

/// The settings of the command `kinetic`, for programs. Link kinetic::settings.
namespace kinetic::inline v0 {

/// Reads the settings of a profile as the command does: from the KINETIC_ variables, the
/// configuration file, variables of other programs, and defaults (docs/reference/settings.md).
///
/// @param profile  the name of a profile; empty: the current one.
/// @errors         kNotFound: no such profile, or no configuration file where KINETIC_CONFIG says ·
///                 kInvalidArgument: an invalid value, with its source; an invalid file, with line
///                 and column · kPermissionDenied: the file cannot be read.
/// @threads        safe to call concurrently, but not with setenv or with changes of the current
///                 directory.
KINETIC_EXPORT Result<ClientOptions> LoadProfile(std::string_view profile = {});

}  // namespace kinetic::inline v0
