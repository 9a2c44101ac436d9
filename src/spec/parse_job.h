#pragma once

#include "kinetic/job_file.h"

#include "base/file_system.h"

#include <string_view>

namespace kinetic::spec {

/// ParseJobFile, reading what `args` name through `fs`.
Result<JobSpec> ParseJob(std::string_view text, const Path& file, const JobFileOptions& options,
                         FileSystem& fs);

}  // namespace kinetic::spec
