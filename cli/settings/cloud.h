#pragma once

#include "kinetic/cloud.h"

#include "settings/resolved.h"

#include <string>

namespace kinetic::cli {

/// Returns the connection options for Google's servers, from the settings, and otherwise from the
/// variables and files that Google's libraries and curl read: docs/reference/credentials.md.
///
/// Of access token, token file and credential file, the one with the strongest origin applies: an
/// option overrides a variable, and a variable overrides the profile.
CloudOptions CloudOptionsOf(const Settings& settings, const Surroundings& here);

/// Adds the scheme to an address as Google's libraries do: "localhost:4443" becomes
/// "http://localhost:4443".
std::string WithScheme(std::string address);

}  // namespace kinetic::cli
