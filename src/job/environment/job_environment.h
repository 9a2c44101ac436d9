#pragma once

#include "kinetic/observer.h"

#include "backend/capabilities.h"
#include "env/dependencies/manifest.h"
#include "env/environment_builder.h"
#include "env/python/interpreter.h"
#include "env/resolve/resolver.h"
#include "job/context.h"

#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// The Python environment of a job, as far as it has been prepared.
struct JobEnvironment {
  std::optional<backend::BaseImage> base;  ///< absent: the job runs on this machine
  std::optional<env::Manifest> manifest;   ///< absent: the job needs no environment
  std::string left_out = {};               ///< dependencies that are not installed; empty: none
  std::vector<std::string> warnings = {};  ///< Manifest::warnings
  std::optional<env::ObtainedLock> lock;   ///< absent: not resolved yet
  std::optional<env::ReadyEnvironment> ready;
  std::string dockerfile_image = {};  ///< image of the job's Dockerfile; empty: none
  Value pod = {};                     ///< the job's pod fields
};

/// Finds the interpreter for the job's Python version. Returns nullopt for a `run:` job if none is
/// found.
/// @errors  kNotFound: no interpreter for a `function:` job or for a job that specifies a version.
Result<std::optional<env::Interpreter>> FindJobPython(const Context& context, const JobSpec& spec,
                                                      std::stop_token stop);

/// Returns the accelerator variant of the packages that the job needs: "cpu", "gpu" or "tpu". Local
/// jobs have no accelerator.
std::string AcceleratorCategory(const Context& context, const JobSpec& spec);

/// Returns the base image of a job, or nullopt if it runs in an environment of this machine.
std::optional<backend::BaseImage> BaseImageOf(const Context& context, const JobSpec& spec);

/// Reads the dependencies of the job. A `run:` job without dependencies has no environment and uses
/// the programs of the caller's search path. In an image, a job without dependencies, or with an
/// image of its own, has no environment.
///
/// @param root    the root of the bundle.
/// @param python  the interpreter on this machine; unused for a job that runs in an image.
Result<JobEnvironment> ReadEnvironment(const Context& context, const JobSpec& spec,
                                       const Path& root,
                                       const std::optional<env::Interpreter>& python);

/// Returns the current digest of the base image, "sha256:…", of its manifest or index. The request
/// times out after five seconds. Returns an empty string if the digest is unavailable, for example
/// for an image that exists only on the nodes. Nodes then use the image by its name.
///
/// @param observer  notified if the digest is unavailable; may be null.
std::string FindBaseDigest(const Context& context, const backend::BaseImage& base,
                           Observer* observer, const std::stop_token& stop);

/// Returns the base image with its digest, "python:3.12-slim@sha256:…". Returns the unchanged name
/// if `digest` is empty.
std::string PinnedBase(const backend::BaseImage& base, const std::string& digest);

/// Describes an environment for people: "2 packages, built", or "no packages".
std::string DescribeEnvironment(std::size_t packages, bool built);

/// Lists the cached environments, most recently used first, with the jobs that ran in them.
Result<std::vector<EnvironmentSummary>> ListEnvironments(Context& context, std::stop_token stop);

/// Removes an environment that no job is using.
/// @errors  errors of Environments::Remove.
Result<std::vector<EnvironmentSummary>> RemoveEnvironments(Context& context,
                                                           const std::vector<std::string>& ids,
                                                           std::stop_token stop);

}  // namespace kinetic::job
