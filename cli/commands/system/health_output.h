#pragma once

#include "kinetic/health.h"
#include "kinetic/result.h"
#include "kinetic/value.h"

#include <vector>

namespace kinetic::cli {

struct Context;

/// Prints one line for each check, or adds them to `document` and prints that with --json.
///
/// @returns  the exit code: 1 if a check failed.
int ShowHealth(const std::vector<HealthCheck>& checks, Value document, Context& context);

}  // namespace kinetic::cli
