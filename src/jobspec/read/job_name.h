#pragma once

#include "kinetic/job_spec.h"

#include <filesystem>
#include <string>

namespace kinetic::jobspec {

/// Returns a name for a job without one, reduced to valid characters: the job file's name unless it
/// is job.yaml or there is no file, then "module-callable", the script or program of `run`, or
/// "job".
std::string DeriveName(const JobSpec& spec, const std::filesystem::path& file);

}  // namespace kinetic::jobspec
