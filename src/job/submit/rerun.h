#pragma once

#include "kinetic/client.h"
#include "kinetic/job_file.h"
#include "kinetic/result.h"

#include "job/context.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Submits the code, data, environment and arguments of an earlier job again, as its record names
/// them. Nothing is read from the job's folder, and no packages are resolved.
///
/// @param id       the whole ID of the earlier job.
/// @param changes  options that change arguments, variables and resources.
/// @param tasks    the tasks of an array that are submitted again; nullopt: all.
/// @errors  errors of Client::Rerun.
Result<JobSummary> RerunJob(Context& context, std::string_view id, const JobFileOptions& changes,
                            const SubmitOptions& options, std::stop_token stop,
                            const std::optional<std::vector<std::uint32_t>>& tasks = {});

}  // namespace kinetic::job
