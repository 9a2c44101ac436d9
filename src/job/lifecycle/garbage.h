#pragma once

#include "job/context.h"

#include <stop_token>

namespace kinetic::job {

/// Removes what no kept job needs: old jobs if requested, then bundles, locks, images, environments
/// and kept data.
Result<GarbageReport> CollectAllGarbage(Context& context, const GarbageOptions& options,
                                        std::stop_token stop);

}  // namespace kinetic::job
