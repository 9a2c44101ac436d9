#pragma once

#include "job/context.h"
#include "record/job_record.h"

#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// Whether the supervisor of a job lives that left no trace on this client's target.
struct Liveness {
  /// Why the supervisor is gone: "its supervisor, process 812 on laptop, is gone: …"; nullopt: it may
  /// be alive.
  std::optional<std::string> gone = {};
  bool is_elsewhere = false;  ///< on another target or machine
};

/// Decides from the heartbeats of a local target's job. A supervisor of this machine is gone if its
/// process is gone. Any other one is gone if there was no heartbeat for record::kHeartbeatTimeout.
///
/// @param record  of a job that the target does not know.
Result<Liveness> CheckLiveness(Context& context, const record::Record& record,
                               std::stop_token stop);

}  // namespace kinetic::job
