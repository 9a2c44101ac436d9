#pragma once

#include "spec/shape.h"

namespace kinetic::spec {

/// The keys that say how much a job may use and cost, how often it is tried and how long it may
/// take.
extern const Shape kResources;
extern const Shape kRetry;
extern const Shape kTimeouts;
extern const Shape kSlices;
extern const Shape kMaxCost;

}  // namespace kinetic::spec
