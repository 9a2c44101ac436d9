#pragma once

#include "kinetic/job_spec.h"
#include "kinetic/observer.h"

#include "job/context.h"

#include <stop_token>
#include <string_view>

namespace kinetic::job {

/// In the cache: until when the image that a job named need not be asked for.
inline constexpr std::string_view kAskedImagesFolder = "asked-images";

/// Asks the registry of the image that a job names whether it is there and for the target's
/// machines, so that a wrong one is known before there is a job. A registry has two seconds to
/// answer. What it cannot be asked, or does not tell this client, is no reason against the job:
/// nodes have logins and images of their own. An image that fits is not asked for again, and one
/// of which nothing was told is an hour later.
///
/// @param observer  warned of an image that the registry does not have; may be null.
/// @errors  kFailedPrecondition: no container of the target's machines can be made of it ·
///          kInvalidArgument: it is no name of an image. Both at the place in the job file ·
///          kCancelled.
Status CheckNamedImage(const Context& context, const JobSpec& spec, Observer* observer,
                       std::stop_token stop);

}  // namespace kinetic::job
