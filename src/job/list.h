#pragma once

#include "kinetic/client.h"

#include "job/other_clusters.h"

#include <stop_token>
#include <vector>

namespace kinetic::job {

/// Jobs, newest first, with their present states. Those of a cluster are asked after by one
/// question; of clusters other than the client's own, all at once and for a few seconds: the jobs
/// of one that does not answer are shown as they were last seen, with a warning.
Result<std::vector<JobSummary>> ListJobs(OtherClusters& clusters, const ListOptions& options,
                                         std::stop_token stop);

}  // namespace kinetic::job
