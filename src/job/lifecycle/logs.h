#pragma once

#include "job/context.h"

#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// Reads a job's log: sealed segments from the store, the rest from the target. Segments may move
/// from the target to the store during the read. No record is lost or repeated, for any number of
/// readers.
Status ReadLogs(Context& context, std::string_view id, const LogOptions& options,
                const LogReader& reader, std::stop_token stop);

}  // namespace kinetic::job
