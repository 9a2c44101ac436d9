#pragma once

#include "kinetic/job_spec.h"

#include "base/file_system.h"
#include "bundle/source_tree.h"

namespace kinetic::job {

/// Checks that each `$path` argument is in the bundle, as a file or a folder, or in what `data`
/// copies from this machine.
///
/// @errors  kInvalidArgument: those that are not, one a line, each with its place and whether the
///          file exists and is only left out.
Status CheckPaths(FileSystem& fs, const JobSpec& spec, const bundle::SourceTree& source);

}  // namespace kinetic::job
