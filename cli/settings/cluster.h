#pragma once

#include "kinetic/profile.h"

#include "settings/resolved.h"

namespace kinetic::cli {

/// Returns the kind of target that the settings specify.
TargetKind TargetKindOf(const Settings& settings);

/// Returns the cluster, the identity and the pod settings: docs/reference/profiles.md.
ClusterProfile ClusterProfileOf(const Settings& settings, const Surroundings& here);

/// Checks that every given option has an effect on the target.
///
/// @errors kInvalidArgument: an option without an effect.
Status CheckOptionsApply(const Settings& settings);

}  // namespace kinetic::cli
