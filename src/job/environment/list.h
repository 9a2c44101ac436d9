#pragma once

#include "job/context.h"

#include <stop_token>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Lists the cached environments, most recently used first, with the jobs that ran in them.
Result<std::vector<EnvironmentSummary>> ListEnvironments(Context& context, std::stop_token stop);

/// Removes an environment that no job is using.
/// @errors  errors of Client::RemoveEnvironment.
Result<EnvironmentSummary> RemoveEnvironment(Context& context, std::string_view id,
                                             std::stop_token stop);

}  // namespace kinetic::job
