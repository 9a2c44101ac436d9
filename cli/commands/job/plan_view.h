#pragma once

#include "kinetic/client.h"
#include "kinetic/environment.h"

namespace kinetic::cli {

struct Context;

/// Shows what a submission would send, as sections or as one JSON document.
void ShowPlan(const Plan& plan, Context& context);

/// Shows an environment's inputs, its lock, whether it is built, and the changes.
void ShowEnvironment(const EnvironmentExplanation& environment, Context& context);

/// Shows the packages of a lock.
void ShowLock(const EnvironmentLock& lock, Context& context);

}  // namespace kinetic::cli
