#pragma once

#include "kinetic/observer.h"

#include "bundle/gc/content_lease.h"
#include "env/environment_builder.h"
#include "env/packages/upload_estimator.h"
#include "job/context.h"
#include "job/environment/job_environment.h"
#include "job/submit/provisioning_request.h"

#include <memory>
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
  /// If a pod resolves the lock, whether that pod also fetches the packages.
  bool with_packages = false;
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
/// @param upload_estimator  the upload estimate that `builder` uses; null: uploads never take too
///                          long.
std::unique_ptr<env::EnvironmentBuilder> WithClusterPackages(
    const Context& context, const JobEnvironment& environment,
    std::unique_ptr<env::EnvironmentBuilder> builder,
    std::shared_ptr<env::UploadEstimator> upload_estimator = nullptr);

/// Returns the objects that would be created in the cluster to build the packages, given the result
/// of FindEnvironment. Returns nothing if no packages are built there.
Result<std::vector<Value>> DescribePackagesInCluster(const Context& context,
                                                     const JobEnvironment& environment, bool relock,
                                                     std::stop_token stop);

}  // namespace kinetic::job
