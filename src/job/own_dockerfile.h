#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/observer.h"
#include "kinetic/result.h"

#include "base/digest.h"
#include "env/dockerfile_builder.h"
#include "job/context.h"
#include "job/make_environment.h"
#include "target/target.h"

#include <optional>
#include <stop_token>
#include <string>

namespace kinetic::job {

/// What a job's own Dockerfile makes an image from, as it is on this machine now.
struct OwnDockerfile {
  Digest key;             ///< of all that has a say in the image
  env::ImageOrder order;  ///< with its name in the profile's repository, and the key as a label
  std::string warning;    ///< about the context; empty: none
};

/// Whether a job names one instead of an image.
inline bool HasOwnDockerfile(const JobSpec& spec) {
  return spec.image && !spec.image->dockerfile.empty();
}

/// Reads it, and its context as far as it uses that.
///
/// @param base  what the target says of the job's machines.
/// @errors  kInvalidArgument, at its place in the job file: there is no such file or folder; or
///          what lies in the context cannot be copied · kFailedPrecondition: the profile keeps no
///          images · those of FileSystem · kCancelled.
Result<OwnDockerfile> ReadOwnDockerfile(const Context& context, const JobSpec& spec,
                                        const target::BaseImage& base, std::stop_token stop);

/// The image, "registry/name:tag@sha256:…", if the registry has it.
///
/// @errors  those of env::ReadStoredImage.
Result<std::optional<std::string>> FindOwnImage(const Context& context,
                                                const OwnDockerfile& dockerfile,
                                                std::stop_token stop);

struct OwnImage {
  std::string image;  ///< "registry/name:tag@sha256:…"
  bool built = false;
};

/// The image: found, or made by whom the profile names for it. Clients that want the same take
/// turns.
///
/// @param request  its `relock`: makes it although it is there, for what it is made upon may have
///                 changed. Its observer is told what the builder says.
/// @errors  those of FindOwnImage, env::DockerfileBuilder and store::Turn · kAborted: what is
/// tagged
///          so after the build is another image.
Result<OwnImage> MakeOwnImage(const Context& context, const OwnDockerfile& dockerfile,
                              const LockRequest& request, std::stop_token stop);

}  // namespace kinetic::job
