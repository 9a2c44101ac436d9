#pragma once

#include "kinetic/job_spec.h"

#include <filesystem>

namespace kinetic::spec {

/// Makes the path arguments of a spec independent of this machine, once the bundle's root is known.
/// ParseJobFile leaves each `{$path: p}` in `args` as `{"$path": "/absolute/p"}`; here a path under
/// `root` becomes relative to it (the root itself: "."), and one under a `data:` path stays.
///
/// @param root  absolute and normal, as the bundle has it.
/// @errors  kInvalidArgument: paths outside of both, one a line, with their places.
Status ResolvePathArguments(JobSpec& spec, const std::filesystem::path& root);

}  // namespace kinetic::spec
