#pragma once

#include "kinetic/result.h"

#include "base/files/file_system.h"
#include "job/gc/collection.h"

#include <string>
#include <vector>

namespace kinetic::job {

/// Returns the IDs of the jobs that wait or run on this machine, with those of tasks.
Result<std::vector<std::string>> ActiveJobs(FileSystem& fs, const Path& state_dir);

/// Removes the unpacked programs of C++ functions on this machine that no active job uses.
Status CollectPrograms(Collection& gc);

}  // namespace kinetic::job
