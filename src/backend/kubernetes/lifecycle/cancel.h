#pragma once

#include "backend/kubernetes/snapshot/watch_job.h"
#include "kube/client.h"
#include "pod/collect_request.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::backend {

/// Suspends the Job of a job that is to end, so that its pods end and the Job stays visible.
/// Returns false if there is no Job.
Result<bool> SuspendJob(const kube::Client& client, std::string_view name_space,
                        std::string_view id, Cause cause, std::stop_token stop);

/// Ends a job: writes the cause to the store, suspends the Job, so that its pods end and the Job
/// stays visible, and waits until no pod is left. Pods that exceed their grace period are deleted
/// by force.
Status EndJob(const WatchedJob& job, const pod::StopCause& cause, std::stop_token stop);

/// Deletes the Job, its pods and its Secret. Missing objects are ignored.
Status RemoveObjects(const kube::Client& client, std::string_view name_space, std::string_view id,
                     std::stop_token stop);

}  // namespace kinetic::backend
