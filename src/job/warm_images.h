#pragma once

#include "kinetic/warming.h"

#include "job/context.h"

#include <stop_token>

namespace kinetic::job {

/// Has nodes pull the images of a job: Client::WarmImages.
Result<WarmReport> WarmImages(Context& context, const JobSpec& spec, const WarmOptions& options,
                              std::stop_token stop);

}  // namespace kinetic::job
