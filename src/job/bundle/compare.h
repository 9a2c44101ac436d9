#pragma once

#include "job/context.h"

#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// Lists the files that a submission would upload.
Result<BundleListing> ListPackage(Context& context, const JobSpec& spec, std::stop_token stop);

/// Compares the bundle with the bundle of job `since` (an ID; empty: the newest job of that name).
/// @errors  kNotFound: no such job.
Result<BundleDifference> ComparePackage(Context& context, const JobSpec& spec,
                                        std::string_view since, std::stop_token stop);

}  // namespace kinetic::job
