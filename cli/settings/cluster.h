#pragma once

#include "kinetic/profile.h"

#include "settings/settings.h"

namespace kinetic::cli {

/// Where jobs run, by the settings.
TargetKind TargetKindOf(const Settings& settings);

/// Which cluster, as whom, and what its pods are made of: docs/guide/profiles.md.
ClusterProfile ClusterProfileOf(const Settings& settings, const Surroundings& here);

/// Whether no option was given that has no effect on the target.
///
/// @errors kInvalidArgument: which one.
Status CheckOptionsApply(const Settings& settings);

}  // namespace kinetic::cli
