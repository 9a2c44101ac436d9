#pragma once

#include "runner/pod_folder.h"

namespace kinetic::runner {

/// Gives the job's own folders to the launcher's user, where that is another one than ours and we
/// may.
///
/// @errors  those of chown.
Status GiveFolders(const PodFolder& folder);

}  // namespace kinetic::runner
