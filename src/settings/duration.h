#pragma once

#include "kinetic/result.h"

#include <chrono>
#include <optional>
#include <string_view>

namespace kinetic::settings {

/// Parses a duration as in a job file: numbers with units (ms, s, m, h, d), such as "30m", "1h30m"
/// or "1.5h". Only 0 needs no unit. Returns nullopt for other text and for durations above 36,500 days.
std::optional<std::chrono::milliseconds> ParseDuration(std::string_view text);

/// Same, for the value of an option or setting.
///
/// @param   what  for the error: "--timeout".
/// @errors  kInvalidArgument.
Result<std::chrono::milliseconds> ParseDurationOf(std::string_view what, std::string_view text);

}  // namespace kinetic::settings
