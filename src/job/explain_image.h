#pragma once

#include "kinetic/image_explanation.h"

#include "job/context.h"

#include <stop_token>

namespace kinetic::job {

/// Which image or which archives a job's packages are: Client::ExplainImage. Registries and the
/// store are asked at the same time, and nothing is put anywhere.
Result<ImageExplanation> ExplainImage(Context& context, const JobSpec& spec, std::stop_token stop);

}  // namespace kinetic::job
