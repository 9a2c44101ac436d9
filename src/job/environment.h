#pragma once

#include "env/environment_builder.h"
#include "env/lock_store.h"
#include "env/manifest.h"
#include "env/python.h"
#include "job/context.h"
#include "target/target.h"

#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// The Python environment of a job, as far as it has been made.
struct JobEnvironment {
  std::optional<target::BaseImage> base;  ///< absent: the job runs on this machine
  std::optional<env::Manifest> manifest;  ///< absent: the job needs no environment
  std::string left_out = {};  ///< what the job depends on and nobody installs; empty: nothing
  std::optional<env::ObtainedLock> lock;  ///< absent: not resolved yet
  std::optional<env::ReadyEnvironment> ready;
  std::string own_image = {};   ///< of the job's Dockerfile; empty: it has none
  Value pod = {};               ///< the job's pod fields
  bool made_elsewhere = false;  ///< what was missing of it was made by a pod
};

/// The interpreter of the job's Python version; nothing for a `run:` job when there is none.
/// @errors  kNotFound: a `function:` job, or one that names a version.
Result<std::optional<env::Interpreter>> FindJobPython(const Context& context, const JobSpec& spec,
                                                      std::stop_token stop);

/// Reads what the job depends on. A `run:` job without dependencies has no environment: it sees
/// the programs of the caller's search path; in an image no job without dependencies has one, and
/// none whose image the job names.
///
/// @param root    of the bundle.
/// @param python  of this machine; without use for a job that runs in an image.
Result<JobEnvironment> ReadEnvironment(const Context& context, const JobSpec& spec,
                                       const Path& root,
                                       const std::optional<env::Interpreter>& python);

}  // namespace kinetic::job
