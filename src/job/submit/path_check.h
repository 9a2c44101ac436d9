#pragma once

#include "kinetic/job_spec.h"

#include "base/files/file_system.h"
#include "bundle/source/walk.h"

namespace kinetic::job {

/// Checks that each `$path` argument is a file or folder in the bundle, or in local `data`.
///
/// @errors  kInvalidArgument: the missing paths, one per line, each with its location and whether
///          the file exists but is excluded.
Status CheckPaths(FileSystem& fs, const JobSpec& spec, const bundle::SourceTree& source);

}  // namespace kinetic::job
