#pragma once

#include "job/context.h"
#include "job/make_environment.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Whether jobs run in images at all.
///
/// @errors  kFailedPrecondition: on this machine they do not.
Status CheckUsesImages(const Context& context);

/// The images for packages that the profile's repository keeps: Client::BuildImage,
/// MakeDockerfile, ListImages and RemoveImage.
Result<EnvironmentImage> BuildImage(Context& context, const JobSpec& spec,
                                    const LockRequest& request, std::stop_token stop);
Result<EnvironmentDockerfile> MakeDockerfile(Context& context, const JobSpec& spec,
                                             const Path& folder, const LockRequest& request,
                                             std::stop_token stop);
Result<std::vector<EnvironmentImage>> ListImages(Context& context, std::stop_token stop);
Result<EnvironmentImage> RemoveImage(Context& context, std::string_view tag, std::stop_token stop);

}  // namespace kinetic::job
