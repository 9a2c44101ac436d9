#pragma once

#include "base/file_system.h"

namespace kinetic::runner {

/// `kinetic-runner collect [FOLDER]`: the collector of a pod. What it is to do is in the variables
/// that pod/collect_request.h names.
///
/// @param folder  where it meets the launcher.
/// @returns       the exit code: 0 when the launcher has been told how it ended.
int Collect(const Path& folder);

}  // namespace kinetic::runner
