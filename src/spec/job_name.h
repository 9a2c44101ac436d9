#pragma once

#include "kinetic/job_spec.h"

#include <filesystem>
#include <string>

namespace kinetic::spec {

/// A name for a job that has none: the file's, unless it is called job.yaml or there is no file;
/// then "module-callable", the script or program of `run`, or "job". Reduced to what a name may
/// hold.
std::string DeriveName(const JobSpec& spec, const std::filesystem::path& file);

}  // namespace kinetic::spec
