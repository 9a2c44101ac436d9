#pragma once

#include "kinetic/observer.h"

#include "env/dependencies/manifest.h"
#include "env/install/tool_options.h"
#include "env/resolve/lock.h"

#include <stop_token>

namespace kinetic::env {

/// Resolves a manifest to a lock: its own if it is one, an empty one if it asks for nothing, else
/// by uv where that is installed and by the chosen Python's pip where it is not. Needs the network
/// then, and takes seconds. For a pod, a Python of any version runs pip or uv, which are told the
/// pod's Python and platform: markers and wheels are those of the pod.
///
/// @errors  kFailedPrecondition (no such package or version, a conflict, a build that failed: in
///          the resolver's own words, its whole log named in the hint) · kNotFound (no such Python,
///          no pip) · kUnavailable (the index could not be reached) · kCancelled.
/// @threads safe to call concurrently.
Result<Lock> Resolve(const Manifest& manifest, const ToolOptions& tools, Observer* observer,
                     std::stop_token stop);

}  // namespace kinetic::env
