#pragma once

#include "kinetic/job_spec.h"

#include <string>
#include <vector>

namespace kinetic::record {

/// Returns the arguments of a job for display, one text for each: "epochs=3", "--epochs 3". Long
/// ones are shortened.
std::vector<std::string> ArgumentTexts(const JobSpec& spec);

}  // namespace kinetic::record
