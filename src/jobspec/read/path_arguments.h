#pragma once

#include "kinetic/job_spec.h"

#include <filesystem>

namespace kinetic::jobspec {

/// Makes the path arguments of a spec independent of this machine. ParseJobFile represents
/// `{$path: p}` in `args` as `{"$path": "/absolute/p"}`. A path below `root` becomes relative to it
/// (the root itself: "."); a path below a `data:` path is unchanged.
///
/// @param root  the bundle's root, absolute and normalized.
/// @errors  kInvalidArgument: paths outside both, one per line, with positions.
Status ResolvePathArguments(JobSpec& spec, const std::filesystem::path& root);

}  // namespace kinetic::jobspec
