#pragma once

#include "job/context.h"
#include "job/environment/make.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Implement Client::BuildImage, ListImages and RemoveImage for the package images in the profile's
/// repository.
Result<EnvironmentImage> BuildImage(Context& context, const JobSpec& spec,
                                    const LockRequest& request, std::stop_token stop);
Result<std::vector<EnvironmentImage>> ListImages(Context& context, std::stop_token stop);
Result<EnvironmentImage> RemoveImage(Context& context, std::string_view tag, std::stop_token stop);

}  // namespace kinetic::job
