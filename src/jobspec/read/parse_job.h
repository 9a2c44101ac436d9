#pragma once

#include "kinetic/job_file.h"

#include "base/files/file_system.h"

#include <string_view>

namespace kinetic::jobspec {

/// ParseJobFile; reads the files in `args` through `fs`.
Result<JobSpec> ParseJob(std::string_view text, const Path& file, const JobFileOptions& options,
                         FileSystem& fs);

}  // namespace kinetic::jobspec
