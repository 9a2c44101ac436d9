#pragma once

#include "kinetic/error.h"
#include "kinetic/job.h"

namespace kinetic::cli {

/// Returns the error for a job that has no result yet.
Error NotFinished(const JobSummary& summary);

}  // namespace kinetic::cli
