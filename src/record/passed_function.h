#pragma once

#include "kinetic/job_spec.h"

#include <optional>
#include <string_view>

namespace kinetic::record {

/// The module of the runner's shim that calls functions which a Python program passes by value.
inline constexpr std::string_view kPassedFunctionModule = "_kinetic_pickled";

/// Returns the arguments of a function that is passed by value, or nullopt for another job.
std::optional<Arguments> PassedArguments(const JobSpec& spec);

/// Returns the job as its user wrote it: a function that is passed by value has its own name and
/// arguments, instead of those of the function that calls it. Other jobs are unchanged.
JobSpec AsWritten(JobSpec spec);

}  // namespace kinetic::record
