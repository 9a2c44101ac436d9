#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/observer.h"

#include "job/context.h"

#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// Cache folder with the time until which the check of a job's image is valid.
inline constexpr std::string_view kImageChecksFolder = "checked-images";

/// Checks in the registry that the job's image exists and fits the target's machines, so that a
/// wrong image is found before the job is created. The request times out after two seconds. The
/// check passes if the registry is unreachable or denies access, because nodes have their own
/// logins and images. A fitting image is not checked again. An image without an answer is checked
/// again after an hour.
///
/// @param observer  warned if the registry does not have the image; may be null.
/// @errors  kFailedPrecondition: the image does not fit the target's machines · kInvalidArgument:
///          not a valid image name. Both include the location in the job file · kCancelled.
Status CheckNamedImage(const Context& context, const JobSpec& spec, Observer* observer,
                       std::stop_token stop);

}  // namespace kinetic::job
