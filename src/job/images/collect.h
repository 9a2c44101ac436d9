#pragma once

#include "kinetic/client.h"

#include "base/time/clock.h"
#include "job/context.h"

#include <set>
#include <stop_token>
#include <string>

namespace kinetic::job {

struct ImageCollection {
  const std::set<std::string>& named;  ///< by kept jobs, as NameOfMadeImage returns them
  WallTime now;                        ///< by the store's clock
  bool dry_run = false;
};

/// Removes unused package images from the profile's repository: images that this store built, that
/// no kept job names and that were not used recently. Images of other stores are not touched. If a
/// registry is unreachable or does not support deletion, reports a warning.
///
/// @errors  errors of the store · kCancelled.
Status CollectImages(const Context& context, const ImageCollection& collection,
                     GarbageReport& report, std::stop_token stop);

}  // namespace kinetic::job
