#pragma once

#include "kinetic/client.h"

#include "job/other_clusters.h"

#include <stop_token>
#include <vector>

namespace kinetic::job {

/// Lists jobs with their current states, newest first. The states of a cluster's jobs take one
/// request. Clusters other than the client's own are queried concurrently, for a few seconds. If a
/// cluster does not respond, its jobs have their last known states, and a warning is reported.
Result<std::vector<JobSummary>> ListJobs(OtherClusters& clusters, const ListOptions& options,
                                         std::stop_token stop);

}  // namespace kinetic::job
