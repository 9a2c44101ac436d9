#pragma once

#include "kinetic/result.h"

#include "env/resolve/lock.h"

#include <string_view>
#include <vector>

namespace kinetic::env {

/// The packages that `pip install --dry-run --report` chose, by name. URLs of direct references are
/// as pip has them.
///
/// @errors  kInternal: not such a report · kFailedPrecondition: a package without a hash, or from a
///          folder or version control.
/// @source  https://pip.pypa.io/en/stable/reference/installation-report/
Result<std::vector<LockedPackage>> PackagesOfReport(std::string_view json);

}  // namespace kinetic::env
