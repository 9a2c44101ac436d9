#pragma once

#include "kinetic/image_difference.h"

#include "job/context.h"

#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// Implements Client::ReadImageContents.
Result<ImageContents> ReadImageContents(Context& context, std::string_view image,
                                        std::stop_token stop);
Result<ImageContents> ReadImageContents(Context& context, const JobSpec& spec,
                                        std::stop_token stop);

}  // namespace kinetic::job
