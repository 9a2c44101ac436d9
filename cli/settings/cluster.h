#pragma once

#include "kinetic/profile.h"

#include "settings/settings.h"

namespace kinetic::cli {

/// Where jobs run, by the settings.
TargetKind TargetKindOf(const Settings& settings);

/// Which cluster, as whom, and what its pods are made of: docs/guide/profiles.md.
///
/// @param interactive  whether a credential plugin may ask on the terminal.
ClusterProfile ClusterProfileOf(const Settings& settings, const Surroundings& here,
                                bool interactive);

}  // namespace kinetic::cli
