#pragma once

#include "job/context.h"

#include <chrono>
#include <stop_token>

namespace kinetic::job {

/// A lock or an environment that no kept job names stays this long after its last use.
inline constexpr std::chrono::hours kUnusedEnvironmentStays{8 * 24};
inline constexpr std::chrono::hours kUnusedLockStays{90 * 24};
/// A package that is stored for the environments of pods stays this long after its last use.
inline constexpr std::chrono::hours kUnusedPackageStays{30 * 24};
/// What XLA compiled, after the last job that took it.
inline constexpr std::chrono::hours kUnusedCompiledStays{30 * 24};
/// A maker of an image that has died; one that lives renews its turn.
inline constexpr std::chrono::hours kTurnStays{24};
/// An image of packages that this store had made, after the last job that ran in it.
inline constexpr std::chrono::hours kUnusedImageStays{30 * 24};
/// Data that is kept for later jobs and that none has taken.
inline constexpr std::chrono::hours kUnusedDataStays{30 * 24};
/// What is remembered of files and modules; without it they are read once more.
inline constexpr std::chrono::hours kUnusedCacheStays{30 * 24};

/// Removes what no kept job needs: old jobs when asked to, then bundles, locks, images,
/// environments and kept data.
Result<GarbageReport> CollectAllGarbage(Context& context, const GarbageOptions& options,
                                        std::stop_token stop);

}  // namespace kinetic::job
