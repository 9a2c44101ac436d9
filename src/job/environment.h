#pragma once

#include "env/environment_builder.h"
#include "env/lock_store.h"
#include "env/manifest.h"
#include "env/python.h"
#include "job/context.h"

#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// The Python environment of a job, as far as it has been made.
struct JobEnvironment {
  std::optional<env::Manifest> manifest;  ///< absent: the job needs no environment
  std::optional<env::ObtainedLock> lock;  ///< absent: not resolved yet
  std::optional<env::ReadyEnvironment> ready;
};

/// The interpreter of the job's Python version; nothing for a `run:` job when there is none.
/// @errors  kNotFound: a `function:` job, or one that names a version.
Result<std::optional<env::Interpreter>> FindJobPython(const Context& context, const JobSpec& spec,
                                                      std::stop_token stop);

/// Reads what the job depends on. A `run:` job without dependencies has no environment: it sees
/// the programs of the caller's search path.
///
/// @param root  of the bundle.
Result<JobEnvironment> ReadEnvironment(const Context& context, const JobSpec& spec,
                                       const Path& root,
                                       const std::optional<env::Interpreter>& python);

/// For a target whose jobs run in images: what the job depends on is not installed there. Nothing
/// is said of a job without dependencies; of one that names its image a warning is returned.
///
/// @errors  kUnimplemented: a job with dependencies that names no image.
Result<std::optional<std::string>> FindPackagesForImage(const Context& context, const JobSpec& spec,
                                                        const Path& root);

/// Looks up the lock and the environment; resolves, stores and builds nothing.
Status FindEnvironment(Context& context, JobEnvironment& environment, std::stop_token stop);

/// How the lock of a job is come by.
struct LockRequest {
  bool locked = false;
  bool relock = false;
  Observer* observer = nullptr;
};

/// Obtains the lock, resolving and storing it where necessary.
Status LockEnvironment(Context& context, JobEnvironment& environment, const LockRequest& request,
                       std::stop_token stop);

/// Obtains the lock and builds the environment where they are not there.
Status MakeEnvironment(Context& context, JobEnvironment& environment, const LockRequest& request,
                       std::stop_token stop);

}  // namespace kinetic::job
