#pragma once

#include "kinetic/job_difference.h"

#include "output/base.h"

namespace kinetic::cli {

/// Shows the differences between two jobs, one section for each kind that has any, and the
/// durations of both jobs.
void ShowDifference(const JobDifference& difference, Output& output);

}  // namespace kinetic::cli
