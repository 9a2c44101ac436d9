#pragma once

#include "kinetic/result.h"

#include <map>
#include <string>
#include <vector>

namespace kinetic::job {

/// The secrets that a job asks for, by name, out of the caller's environment.
///
/// @param names  exact names, and wildcards as in "WANDB_*"; a wildcard may match nothing.
/// @param job_env  what the job sets openly under `env`; no wildcard makes a secret of it, nor of
///                 kinetic's own KINETIC_*.
/// @errors       kInvalidArgument: exact names that are not set, all of them.
Result<std::map<std::string, std::string>> CollectSecrets(
    const std::vector<std::string>& names, const std::map<std::string, std::string>& environment,
    const std::map<std::string, std::string>& job_env = {});

}  // namespace kinetic::job
