#pragma once

#include "kinetic/job_spec.h"

#include "bundle/source_tree.h"

#include <string>
#include <vector>

namespace kinetic::job {

/// The relative `$path` arguments that name nothing in the bundle: a slip, a file that an ignore
/// rule keeps here, or a file that the job is to write. In the order in which they are met, each
/// once.
std::vector<std::string> AbsentPaths(const Arguments& arguments, const bundle::SourceTree& source);

}  // namespace kinetic::job
