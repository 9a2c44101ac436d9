#pragma once

#include "kinetic/observer.h"

#include "bundle/gc/content_lease.h"
#include "env/environment_builder.h"
#include "job/context.h"
#include "job/environment/job_environment.h"
#include "job/environment/provisioning_request.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::job {

/// Looks up the lock. Does not resolve or store one.
Status FindJobLock(Context& context, JobEnvironment& environment, std::stop_token stop);

/// Looks up the lock and the environment. Resolves, stores and builds nothing.
Status FindEnvironment(Context& context, JobEnvironment& environment, std::stop_token stop);

/// Returns the objects that MakeEnvironment would write to the store, given the result of
/// FindEnvironment. The list covers what is known before anything is installed. Some of the objects
/// may already exist.
std::vector<std::string> ObjectsToMake(const Context& context, const JobEnvironment& environment);

/// Options for obtaining the lock of a job.
struct LockRequest {
  bool locked = false;
  bool relock = false;
  Observer* observer = nullptr;
  /// Requests a node for the job when something must be built; null: no request.
  ProvisioningRequest* provisioning = nullptr;
};

/// Obtains the lock. Resolves and stores it if necessary.
Status LockEnvironment(Context& context, JobEnvironment& environment, const LockRequest& request,
                       std::stop_token stop);

/// Obtains the lock and builds the environment if either is missing. Confirms an environment in the
/// store through `lease`.
Status MakeEnvironment(Context& context, JobEnvironment& environment, bundle::ContentLease& lease,
                       const LockRequest& request, std::stop_token stop);

}  // namespace kinetic::job
