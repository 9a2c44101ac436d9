#pragma once

#include "kinetic/explanation.h"

#include "backend/target.h"

namespace kinetic::backend {

/// Explains the state of a job on this machine by its supervisor's status.
Explanation ExplainLocal(const Observation& observation);

}  // namespace kinetic::backend
