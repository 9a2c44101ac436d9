#pragma once

#include "kinetic/environment.h"

#include "output/output.h"

#include <string>
#include <string_view>

/// Answers in sections: a heading, and fields below it.
namespace kinetic::cli {

void ShowHeading(std::string_view text, Output& output);

/// A line of a section; an empty value is "-".
void ShowField(std::string_view name, std::string_view value, Output& output);

/// "2 packages, resolved 3d ago"
std::string LockSummary(const EnvironmentLock& lock);

/// The fields that say which lock an environment has, and what it is called by.
void ShowLockFields(const EnvironmentExplanation& environment, Output& output);

/// What an environment is made from, and what of it has changed since the last job of that name.
void ShowInputs(const EnvironmentExplanation& environment, Output& output);

}  // namespace kinetic::cli
