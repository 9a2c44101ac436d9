#pragma once

#include "kinetic/observer.h"

#include "env/environment_builder.h"
#include "env/uplink.h"
#include "job/context.h"
#include "job/environment.h"
#include "job/make_environment.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace kinetic::job {

/// Whether environments are made of packages that the store has, and not by somebody who fetches
/// them himself.
bool TakesStoredPackages(const Context& context);

/// Has a pod resolve the lock of a job on a cluster, where the profile wants that or this machine
/// cannot.
///
/// @param request  its `with_packages`: the same pod fetches the packages and stores them too.
/// @returns  false: it is to be resolved here.
/// @errors   those of Target::MakePackages; the whole log is kept, and named in the hint.
Result<bool> LockInCluster(const Context& context, JobEnvironment& environment,
                           const LockRequest& request, std::stop_token stop);

/// A builder that finds all packages of a lock in the store: what is not there is fetched by a pod
/// first, where the profile wants that or this machine cannot; or after it has begun to be stored
/// from here, when that would take too long. Context and environment outlive it.
///
/// @param uplink  what `builder` stores by; null: that never takes too long.
std::unique_ptr<env::EnvironmentBuilder> WithPackagesOfCluster(
    const Context& context, const JobEnvironment& environment,
    std::unique_ptr<env::EnvironmentBuilder> builder,
    std::shared_ptr<env::Uplink> uplink = nullptr);

/// What would be created in the cluster for what FindEnvironment has found, that packages are made
/// there; nothing where none are.
Result<std::vector<Value>> DescribePackagesInCluster(const Context& context,
                                                     const JobEnvironment& environment, bool relock,
                                                     std::stop_token stop);

}  // namespace kinetic::job
