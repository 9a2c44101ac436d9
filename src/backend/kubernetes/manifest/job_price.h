#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/prices.h"
#include "kinetic/profile.h"

#include <optional>
#include <string>

namespace kinetic::backend {

/// Returns the region of a cluster: "us-west4", or "" if its location is unknown.
std::string RegionOf(const ClusterProfile& cluster);

/// Returns the price of a job's nodes. Returns nullopt if the location of the cluster is unknown, or
/// if the job has several accelerators: which one it gets is not recorded.
std::optional<JobPrice> JobPriceOf(const JobSpec& spec, const ClusterProfile& cluster,
                                   const Prices& prices);

}  // namespace kinetic::backend
