#pragma once

#include "job/context.h"
#include "oci/format/reference.h"

namespace kinetic::job {

/// Returns the repository in which the profile keeps the images that kinetic builds.
///
/// @errors  kFailedPrecondition (the profile has no repository; the hint explains how to set one) ·
///          kInvalidArgument (not a valid repository name).
Result<oci::Reference> ImagePlace(const Context& context);

}  // namespace kinetic::job
