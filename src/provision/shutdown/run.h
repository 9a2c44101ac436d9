#pragma once

#include "kinetic/log.h"
#include "kinetic/result.h"

#include "provision/shutdown/policy.h"

#include <map>
#include <stop_token>
#include <string>

namespace kinetic::provision {

/// Deletes the cluster in which this process runs if a limit of the policy has passed: first the
/// node pools with accelerators, then the cluster. May be repeated; continues where an earlier
/// process was stopped.
/// Each time, reads the cluster with the grant that the deletion needs, and records the result in the
/// CronJob. Returns without another change if the cluster is not to be deleted yet.
///
/// @param environment  of the process, with KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT.
/// @param log          receives each deletion; must outlive the call.
/// @errors  those of kube::Client and google::ApiClient · kFailedPrecondition: kinetic did not
///          create the cluster.
Status RunShutdown(const ShutdownPolicy& policy, std::map<std::string, std::string> environment,
                   LogSink& log, std::stop_token stop);

}  // namespace kinetic::provision
