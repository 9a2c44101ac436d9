#pragma once

#include "kinetic/client.h"

#include "base/clock.h"
#include "job/context.h"

#include <set>
#include <stop_token>
#include <string>

namespace kinetic::job {

struct ImageCollection {
  const std::set<std::string>& named;  ///< by kept jobs, as NameOfMadeImage has them
  WallTime now;                        ///< by the store's clock
  bool dry_run = false;
};

/// Removes, from where the profile keeps images for packages, those that this store had made, that
/// no kept job names and that nobody has used for a while; others' are not looked at. A registry
/// that removes nothing, or does not answer, is told of as a warning.
///
/// @errors  those of the store · kCancelled.
Status CollectImages(const Context& context, const ImageCollection& collection,
                     GarbageReport& report, std::stop_token stop);

}  // namespace kinetic::job
