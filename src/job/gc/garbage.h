#pragma once

#include "job/context.h"

#include <cstdint>
#include <functional>
#include <set>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// Removes what no kept job needs: old jobs if requested, then bundles, locks, images, environments
/// and kept data.
Result<GarbageReport> CollectAllGarbage(Context& context, const GarbageOptions& options,
                                        std::stop_token stop);

/// The steps of CollectAllGarbage that do not depend on the jobs of the store. Each adds to
/// `report`.

/// Adds an object to a class of the report.
void Count(GarbageReport::Class& found, std::uint64_t bytes, bool removed);

/// Removes unused environments, kept data and cached metadata of this machine.
///
/// @param kept  IDs of environments that kept jobs use.
Status CollectCaches(Context& context, const GarbageOptions& options,
                     const std::set<std::string>& kept, GarbageReport& report);

/// Reads all packs and trees, and removes the unusable ones.
Status VerifyContent(Context& context, const GarbageOptions& options, GarbageReport& report,
                     std::stop_token stop);

/// Reads the result, value and log of a job, and calls `on_damage` for each that is damaged.
Status VerifyJob(Context& context, const std::string& id,
                 const std::function<void(const Error&)>& on_damage, std::stop_token stop);

}  // namespace kinetic::job
