#pragma once

#include "kinetic/result.h"

#include <map>
#include <string>
#include <vector>

namespace kinetic::job {

/// Returns the secrets that a job requests, by name, from the caller's environment.
///
/// @param names  exact names, and wildcards such as "WANDB_*". A wildcard may match nothing.
/// @param job_env  the variables that the job sets under `env`. Wildcards match neither these nor
///          names that belong to a machine (PATH, LD_*, KINETIC_*; jobspec::BelongsToMachine).
/// @errors       kInvalidArgument: all exact names that are not set; a value that is not UTF-8.
Result<std::map<std::string, std::string>> CollectSecrets(
    const std::vector<std::string>& names, const std::map<std::string, std::string>& environment,
    const std::map<std::string, std::string>& job_env = {});

}  // namespace kinetic::job
