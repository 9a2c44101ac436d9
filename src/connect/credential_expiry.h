#pragma once

#include "kinetic/cloud.h"

#include "base/time/clock.h"

#include <chrono>
#include <optional>
#include <string>

namespace kinetic::connect {

/// What to tell somebody who starts a job with a credential that nobody here can renew: an access
/// token that was given, or that somebody else keeps in a file. Nothing: it is another one, or the
/// token is known to outlast the job.
///
/// @param lasts  the longest that the job can take; nothing: there is no limit.
std::optional<std::string> WarnOfEnd(const CloudOptions& options, WallTime now,
                                     std::optional<std::chrono::milliseconds> lasts);

}  // namespace kinetic::connect
