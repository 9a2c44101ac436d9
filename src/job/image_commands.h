#pragma once

#include "kinetic/environment.h"
#include "kinetic/job_spec.h"
#include "kinetic/result.h"

#include "job/context.h"
#include "job/environment/make.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace kinetic::job {

/// Implement Images::Build, List and Remove for the package images in the profile's
/// repository.
Result<EnvironmentImage> BuildImage(Context& context, const JobSpec& spec,
                                    const LockRequest& request, std::stop_token stop);
Result<std::vector<EnvironmentImage>> ListImages(Context& context, std::stop_token stop);
Result<std::vector<EnvironmentImage>> RemoveImages(Context& context,
                                                   const std::vector<std::string>& tags,
                                                   std::stop_token stop);

}  // namespace kinetic::job
