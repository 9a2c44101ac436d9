#pragma once

#include "job/context.h"

#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// Reads a job's log: sealed segments from the store, the rest from the target, seamlessly while
/// segments move from one to the other. Nothing is lost or repeated, however many clients read.
Status ReadLogs(Context& context, std::string_view id, const LogOptions& options,
                const LogReader& reader, std::stop_token stop);

}  // namespace kinetic::job
