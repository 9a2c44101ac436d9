#pragma once

#include "kinetic/client.h"
#include "kinetic/environment.h"

#include "output/base.h"

#include <string>
#include <string_view>

/// Output in sections: a heading, and fields below it.

namespace kinetic::cli {

struct Context;

/// Shows a summary of what a submission would send, or all of it as one JSON document.
///
/// @param job  as it was read, with the arguments of its tasks.
void ShowPlan(const Plan& plan, const JobSpec& job, Context& context);

/// Shows an environment's inputs, its lock, whether it is built, and the changes.
void ShowEnvironment(const EnvironmentExplanation& environment, Context& context);

/// Shows the packages of a lock.
void ShowLock(const EnvironmentLock& lock, Context& context);

void ShowHeading(std::string_view text, Output& output);

/// Writes one field of a section. An empty value is shown as "-".
void ShowField(std::string_view name, std::string_view value, Output& output);

/// Returns text such as "2 packages, resolved 3d ago".
std::string LockSummary(const EnvironmentLock& lock);

/// Shows the fields that identify the lock of an environment.
void ShowLockFields(const EnvironmentExplanation& environment, Output& output);

/// Shows the inputs of an environment, and the changes since the newest job with this name.
void ShowInputs(const EnvironmentExplanation& environment, Output& output);

}  // namespace kinetic::cli
