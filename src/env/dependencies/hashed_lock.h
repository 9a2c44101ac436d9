#pragma once

#include "kinetic/result.h"

#include "env/pep/requirement.h"
#include "env/resolve/lock.h"

#include <vector>

namespace kinetic::env {

/// The lock that requirements with hashes are: those that apply, by name. All are pinned; the
/// reader of the file has seen to it.
///
/// @errors  kInvalidArgument: a package is wanted twice, as different ones.
Result<Lock> LockOfHashed(const std::vector<Requirement>& requirements,
                          const MarkerEnvironment& environment);

}  // namespace kinetic::env
