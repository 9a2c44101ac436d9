#pragma once

#include "job/context.h"
#include "job/make_environment.h"

#include <stop_token>
#include <string>
#include <string_view>

namespace kinetic::job {

/// What a submission would send; nothing is stored, resolved or built.
Result<Plan> MakePlan(Context& context, const JobSpec& spec, const SubmitOptions& options,
                      std::stop_token stop);

/// The environment of a job as far as its files tell, looked at without its bundle.
Result<JobEnvironment> LookAtEnvironment(Context& context, const JobSpec& spec,
                                         std::stop_token stop);

/// Tells of an environment as far as it has been found, and what differs from the last job of that
/// name.
Result<EnvironmentExplanation> DescribeEnvironment(Context& context, const std::string& name,
                                                   const JobEnvironment& environment,
                                                   std::stop_token stop);

/// Obtains and stores the lock of a job.
Result<EnvironmentLock> LockPackages(Context& context, const JobSpec& spec,
                                     const LockRequest& request, std::stop_token stop);

/// Why the environment of a job is what it is.
Result<EnvironmentExplanation> ExplainPackages(Context& context, const JobSpec& spec,
                                               std::stop_token stop);

}  // namespace kinetic::job
