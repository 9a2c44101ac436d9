#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "backend/capabilities.h"
#include "base/hash/digest.h"
#include "env/dockerfile/builder.h"
#include "job/context.h"
#include "job/environment/make.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// The inputs of the image of a job's own Dockerfile, as they are on this machine now.
struct JobDockerfile {
  Digest key;  ///< digest of all inputs of the image
  env::ImageBuildRequest
      build_request;    ///< has the name in the profile's repository, and the key as a label
  std::string warning;  ///< about the context; empty: none
};

/// Returns whether a job specifies a Dockerfile instead of an image.
inline bool HasDockerfile(const JobSpec& spec) {
  return spec.image && !spec.image->dockerfile.empty();
}

/// Reads the Dockerfile and the parts of its context that it uses.
///
/// @param base  the target's description of the job's machines.
/// @errors  kInvalidArgument, with the location in the job file: no such file or folder, or the
///          context contains an entry that cannot be copied · kFailedPrecondition: the profile has
///          no image repository · errors of FileSystem · kCancelled.
Result<JobDockerfile> ReadJobDockerfile(const Context& context, const JobSpec& spec,
                                        const backend::BaseImage& base, std::stop_token stop);

/// Returns the image, "registry/name:tag@sha256:…", if the registry has it.
///
/// @errors  errors of env::ReadStoredImage.
Result<std::optional<std::string>> FindDockerfileImage(const Context& context,
                                                       const JobDockerfile& dockerfile,
                                                       std::stop_token stop);

struct DockerfileImage {
  std::string image;  ///< "registry/name:tag@sha256:…"
  bool built = false;
};

/// Finds the image, or builds it with the builder that the profile specifies. A lease serializes
/// clients that build the same image.
///
/// @param request  with `relock`, builds the image even if it exists, because its base may have
///          changed. Its observer receives the builder's output.
/// @errors  errors of FindDockerfileImage, env::DockerfileBuilder and store::AdvisoryLease ·
///          kAborted: after the build, the tag refers to another image.
Result<DockerfileImage> BuildDockerfileImage(const Context& context,
                                             const JobDockerfile& dockerfile,
                                             const LockRequest& request, std::stop_token stop);

/// Returns a builder that uses Cloud Build in the profile's project. Source and log are in the
/// client's store, and requests use the bucket's credential.
///
/// The context must outlive the builder.
std::unique_ptr<env::DockerfileBuilder> CloudBuilderFor(const Context& context);

/// Returns the builder for the image of a job's own Dockerfile, as the profile's `container_engine`
/// specifies: Cloud Build, or a local engine with kinetic's logins. The context must outlive it.
std::unique_ptr<env::DockerfileBuilder> DockerfileBuilderFor(const Context& context);

}  // namespace kinetic::job
