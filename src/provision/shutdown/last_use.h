#pragma once

#include "kinetic/result.h"

#include "kube/client.h"
#include "provision/shutdown/policy.h"

#include <stop_token>

namespace kinetic::provision {

/// Finds out when the cluster last had a job: from its Jobs, from the events of Jobs that no longer
/// exist, and from the time that was found earlier. Stores the result in the CronJob, because
/// events are deleted after an hour.
///
/// @errors  kNotFound: the CronJob does not exist · those of kube::Client.
Result<ClusterUse> FindLastUse(const kube::Client& client, std::stop_token stop);

}  // namespace kinetic::provision
