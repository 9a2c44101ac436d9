#pragma once

#include "kinetic/job_definition.h"
#include "kinetic/result.h"

#include "job/context.h"

#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// Returns what was submitted as a job.
///
/// @errors  kNotFound: the job was removed · kDataLoss: a damaged record, or damaged arguments ·
///          errors of Store.
Result<JobDefinition> ReadDefinition(Context& context, std::string_view id, std::stop_token stop);

}  // namespace kinetic::job
