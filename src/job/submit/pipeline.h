#pragma once

#include "job/context.h"
#include "job/environment/make.h"
#include "job/phase_log.h"
#include "job/submit/prepare.h"

#include <cstddef>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Prepares a job, writes its record and starts it. If an identical job already has the given ID,
/// returns that job, and starts it if it was not started.
///
/// @errors  errors of Client::Submit.
Result<JobSummary> SubmitJob(Context& context, const JobSpec& spec, const SubmitOptions& options,
                             std::stop_token stop);

/// Returns whether jobs call C++ functions of one program on this machine, and differ only in what
/// each is called with. One preparation is then enough.
bool AreAlike(const Context& context, std::span<const JobSpec> specs);

/// Submits jobs that are alike, several at the same time.
std::vector<Result<JobSummary>> SubmitAlike(Context& context, std::span<const JobSpec> specs,
                                            std::size_t threads, const std::stop_token& stop);

/// Checks the ID that the caller chose for a new job. Empty: none.
/// @errors  kInvalidArgument.
Status CheckChosenId(const std::string& id);

/// Prepares a job for SubmitPrepared.
using PrepareFunction = std::function<Result<PreparedJob>(const std::stop_token& stop)>;

/// Prepares a job, writes its record and starts it, like SubmitJob. Prepares it again if objects
/// that it relies on were removed.
///
/// @param id  empty: a new one.
Result<JobSummary> SubmitPrepared(Context& context, const std::string& id, PhaseLog& observer,
                                  const PrepareFunction& prepare, std::stop_token stop);

/// Returns what a submission would send. Stores, resolves and builds nothing.
Result<Plan> MakePlan(Context& context, const JobSpec& spec, const SubmitOptions& options,
                      std::stop_token stop);

/// Returns the environment of a job from its files, without packaging the bundle.
Result<JobEnvironment> InspectEnvironment(Context& context, const JobSpec& spec,
                                          std::stop_token stop);

/// Describes an environment as far as it was found, and the differences from the newest job with
/// this name.
Result<EnvironmentExplanation> DescribeEnvironment(Context& context, const std::string& name,
                                                   const JobEnvironment& environment,
                                                   std::stop_token stop);

/// Obtains and stores the lock of a job.
Result<EnvironmentLock> LockPackages(Context& context, const JobSpec& spec,
                                     const LockRequest& request, std::stop_token stop);

/// Explains the environment of a job.
Result<EnvironmentExplanation> ExplainPackages(Context& context, const JobSpec& spec,
                                               std::stop_token stop);

/// Returns a package of the job's lock, and the packages that require it.
Result<std::vector<PackageOrigin>> ExplainPackage(Context& context, const JobSpec& spec,
                                                  std::string_view package, std::stop_token stop);

}  // namespace kinetic::job
