#pragma once

#include "kinetic/result.h"

#include <chrono>
#include <string>
#include <string_view>

namespace kinetic::cli {

/// Parses a moment: a duration before now, "5m", or RFC 3339 as printed by kinetic,
/// "2026-11-21T10:41:07.123+01:00". The seconds and the zone may be missing; without a zone, the
/// time is local.
///
/// @errors  kInvalidArgument.
Result<std::chrono::system_clock::time_point> ParseMoment(std::string_view option,
                                                          const std::string& text);

}  // namespace kinetic::cli
