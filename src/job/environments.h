#pragma once

#include "job/context.h"

#include <stop_token>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// The environments of the cache, the last used first, with the jobs that ran in them.
Result<std::vector<EnvironmentSummary>> ListEnvironments(Context& context, std::stop_token stop);

/// Removes one that no job uses now.
/// @errors  those of Client::RemoveEnvironment.
Result<EnvironmentSummary> RemoveEnvironment(Context& context, std::string_view id,
                                             std::stop_token stop);

}  // namespace kinetic::job
