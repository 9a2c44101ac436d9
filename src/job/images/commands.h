#pragma once

#include "kinetic/image_difference.h"
#include "kinetic/image_explanation.h"

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
Result<EnvironmentImage> RemoveImage(Context& context, std::string_view tag, std::stop_token stop);

/// Implements Images::ReadContents.
Result<ImageContents> ReadImageContents(Context& context, std::string_view image,
                                        std::stop_token stop);
Result<ImageContents> ReadImageContents(Context& context, const JobSpec& spec,
                                        std::stop_token stop);

/// Implements Images::Explain: returns the image or the archives that contain a job's
/// packages. Queries registries and the store concurrently, and writes nothing.
Result<ImageExplanation> ExplainImage(Context& context, const JobSpec& spec, std::stop_token stop);

}  // namespace kinetic::job
