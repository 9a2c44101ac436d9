#pragma once

#include "kinetic/explanation.h"
#include "kinetic/job.h"

#include <optional>
#include <string_view>

/// The names of enumerators in stored JSON and in messages; the way out is kinetic::Name.
namespace kinetic::record {

std::optional<JobState> ParseJobState(std::string_view name);
std::optional<Phase> ParsePhase(std::string_view name);
std::optional<Cause> ParseCause(std::string_view name);

/// "program", "exception", "kinetic".
std::string_view Name(ExitSource source);
std::optional<ExitSource> ParseExitSource(std::string_view name);

/// "stdout", "stderr", "system".
std::string_view Name(Stream stream);
std::optional<Stream> ParseStream(std::string_view name);

}  // namespace kinetic::record
