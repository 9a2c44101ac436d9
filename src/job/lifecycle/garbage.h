#pragma once

#include "job/context.h"

#include <chrono>
#include <stop_token>

namespace kinetic::job {

/// How long a lock or an environment that no kept job names is kept after its last use.
inline constexpr std::chrono::hours kEnvironmentRetention{8 * 24};
inline constexpr std::chrono::hours kLockRetention{90 * 24};
/// How long a package stored for pod environments is kept after its last use.
inline constexpr std::chrono::hours kPackageRetention{30 * 24};
/// How long the XLA compilation cache is kept after the last job that used it.
inline constexpr std::chrono::hours kCompiledRetention{30 * 24};
/// How long the lease of an exited image builder is kept. A running builder renews its lease.
inline constexpr std::chrono::hours kLeaseRetention{24};
/// How long a package image that this store built is kept after the last job that ran in it.
inline constexpr std::chrono::hours kImageRetention{30 * 24};
/// How long kept data is stored without a job that uses it.
inline constexpr std::chrono::hours kDataRetention{30 * 24};
/// How long cached metadata of files and modules is kept. Without it, they are read again.
inline constexpr std::chrono::hours kCacheRetention{30 * 24};

/// Removes what no kept job needs: old jobs if requested, then bundles, locks, images, environments
/// and kept data.
Result<GarbageReport> CollectAllGarbage(Context& context, const GarbageOptions& options,
                                        std::stop_token stop);

}  // namespace kinetic::job
