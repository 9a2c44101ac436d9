#pragma once

#include "job/context.h"
#include "oci/reference.h"

namespace kinetic::job {

/// The repository in which the profile keeps the images that kinetic makes.
///
/// @errors  kFailedPrecondition: it keeps none, and how it is told to · kInvalidArgument: its name.
Result<oci::Reference> ImagePlace(const Context& context);

}  // namespace kinetic::job
