#pragma once

#include "kinetic/result.h"
#include "kinetic/value.h"

#include "backend/kubernetes/manifest/job_manifest.h"
#include "backend/kubernetes/manifest/placement.h"

#include <string>

namespace kinetic::backend {

/// The pod template of a job, before the job file's own pod fields: the collector as a native
/// sidecar, which installs the launcher into the shared folder before the job's container starts,
/// and that container, whose first process is the launcher.
///
/// @param object_name  of the Job and its Secret.
/// @errors  kInvalidArgument: a file under `data` at an absolute path, which no container can be
///          given.
/// @source  docs/reference/kubernetes.md, "Pod"
Result<Value> PodTemplate(const ManifestRequest& request, const Placement& placement,
                          const std::string& object_name);

}  // namespace kinetic::backend
