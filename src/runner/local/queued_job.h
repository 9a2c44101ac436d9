#pragma once

#include "kinetic/result.h"

#include "local/queue.h"
#include "local/runtime.h"
#include "runner/local/daemon.h"
#include "runner/local/taken_job.h"

#include <optional>

namespace kinetic::runner {

/// Takes a job over and waits in the queue. Returns in the supervisor when the job may run or must
/// end without having run.
///
/// @returns  nullopt if another supervisor has the job, or it has ended.
/// @errors   also kNotFound: the runtime directory was removed.
Result<std::optional<TakenJob>> WaitInQueue(const local::LaunchRequest& request, Daemon& daemon,
                                            const local::QueueTicket& ticket);

}  // namespace kinetic::runner
