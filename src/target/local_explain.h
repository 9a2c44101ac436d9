#pragma once

#include "kinetic/explanation.h"

#include "target/target.h"

namespace kinetic::target {

/// Why a job on this machine is in its state, by what its supervisor shows of it.
Explanation ExplainLocal(const Observation& observation);

}  // namespace kinetic::target
