#pragma once

#include "jobspec/schema/shape.h"

namespace kinetic::jobspec {

/// Shapes of the keys for resources, cost, retries and timeouts.
extern const Shape kResources;
extern const Shape kRetry;
extern const Shape kTimeouts;
extern const Shape kSlices;
extern const Shape kMaxCost;

}  // namespace kinetic::jobspec
