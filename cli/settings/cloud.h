#pragma once

#include "kinetic/cloud.h"

#include "settings/settings.h"

#include <string>

namespace kinetic::cli {

/// How Google's servers are reached, by the settings and, where they are silent, by what Google's
/// libraries and curl read: docs/guide/cloud.md.
///
/// Of token, token file and credential file, the one that was given nearest counts: an option wins
/// over a variable, a variable over the profile.
CloudOptions CloudOptionsOf(const Settings& settings, const Surroundings& here);

/// "localhost:4443" is "http://localhost:4443", as Google's libraries have it.
std::string WithScheme(std::string address);

}  // namespace kinetic::cli
