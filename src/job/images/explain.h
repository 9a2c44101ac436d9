#pragma once

#include "kinetic/image_explanation.h"

#include "job/context.h"

#include <stop_token>

namespace kinetic::job {

/// Implements Client::ExplainImage: returns the image or the archives that contain a job's
/// packages. Queries registries and the store concurrently, and writes nothing.
Result<ImageExplanation> ExplainImage(Context& context, const JobSpec& spec, std::stop_token stop);

}  // namespace kinetic::job
