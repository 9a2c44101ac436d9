#pragma once

#include "job/context.h"

#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// What would travel.
Result<BundleListing> ListPackage(Context& context, const JobSpec& spec, std::stop_token stop);

/// What has changed since the bundle of the job `since` (an id; empty: the last job of that name).
/// @errors  kNotFound: there is no such job.
Result<BundleDifference> ComparePackage(Context& context, const JobSpec& spec,
                                        std::string_view since, std::stop_token stop);

}  // namespace kinetic::job
