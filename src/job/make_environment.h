#pragma once

#include "bundle/lease.h"
#include "job/context.h"
#include "job/environment.h"
#include "job/node_ahead.h"

#include <stop_token>
#include <string>
#include <vector>

namespace kinetic::job {

/// Looks up the lock; resolves and stores none.
Status FindJobLock(Context& context, JobEnvironment& environment, std::stop_token stop);

/// Looks up the lock and the environment; resolves, stores and builds nothing.
Status FindEnvironment(Context& context, JobEnvironment& environment, std::stop_token stop);

/// The objects that MakeEnvironment would put into the store for what FindEnvironment has found,
/// as far as that is known before anything is installed; some may be there.
std::vector<std::string> ObjectsToMake(const Context& context, const JobEnvironment& environment);

/// How the lock of a job is come by.
struct LockRequest {
  bool locked = false;
  bool relock = false;
  Observer* observer = nullptr;
  /// Where a pod resolves it, whether that pod also fetches the packages.
  bool with_packages = false;
  /// Asks for a node of the job's when something is to be made; null: nobody does.
  NodeAhead* ahead = nullptr;
};

/// Obtains the lock, resolving and storing it where necessary.
Status LockEnvironment(Context& context, JobEnvironment& environment, const LockRequest& request,
                       std::stop_token stop);

/// Obtains the lock and builds the environment where they are not there. One that is in the store
/// is confirmed through `lease`.
Status MakeEnvironment(Context& context, JobEnvironment& environment, bundle::ContentLease& lease,
                       const LockRequest& request, std::stop_token stop);

}  // namespace kinetic::job
