#pragma once

#include "kinetic/observer.h"

#include "env/environment_builder.h"
#include "env/resolve/upload_estimator.h"
#include "job/context.h"
#include "job/environment/job_environment.h"
#include "job/environment/make.h"

#include <memory>
#include <stop_token>
#include <vector>

namespace kinetic::job {

/// Resolves the lock of a cluster job in a pod, if the profile requires it or this machine cannot.
///
/// @param request  with `with_packages`, the same pod also fetches and stores the packages.
/// @returns  false if the lock must be resolved on this machine.
/// @errors   errors of PackageBuilder::BuildPackages. The whole log is kept, and the hint names it.
Result<bool> LockInCluster(const Context& context, JobEnvironment& environment,
                           const LockRequest& request, std::stop_token stop);

/// Returns a builder that finds all packages of a lock in the store. A pod fetches missing packages
/// first, if the profile requires it or this machine cannot. A pod also takes over if an upload
/// that was started from this machine would take too long. The context and the environment must
/// outlive the builder.
///
/// @param uplink  the upload estimate that `builder` uses; null: uploads never take too long.
std::unique_ptr<env::EnvironmentBuilder> WithPackagesOfCluster(
    const Context& context, const JobEnvironment& environment,
    std::unique_ptr<env::EnvironmentBuilder> builder,
    std::shared_ptr<env::Uplink> uplink = nullptr);

/// Returns the objects that would be created in the cluster to build the packages, given the result
/// of FindEnvironment. Returns nothing if no packages are built there.
Result<std::vector<Value>> DescribePackagesInCluster(const Context& context,
                                                     const JobEnvironment& environment, bool relock,
                                                     std::stop_token stop);

}  // namespace kinetic::job
