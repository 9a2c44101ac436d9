#pragma once

#include "kinetic/explanation.h"
#include "kinetic/job.h"

#include <optional>
#include <string_view>

/// The names of enumerators in stored JSON and in messages. kinetic::Name is the inverse of those
/// Parse functions that have no Name here.
namespace kinetic::record {

std::optional<JobState> ParseJobState(std::string_view name);
std::optional<Phase> ParsePhase(std::string_view name);
std::optional<Cause> ParseCause(std::string_view name);

/// Returns "program", "exception" or "kinetic".
std::string_view Name(ExitSource source);
std::optional<ExitSource> ParseExitSource(std::string_view name);

/// Returns "stdout", "stderr" or "system".
std::string_view Name(Stream stream);

}  // namespace kinetic::record
