#pragma once

#include "env/dockerfile_builder.h"
#include "job/context.h"

#include <memory>

namespace kinetic::job {

/// Cloud Build as a client reaches it: in the profile's project, with source and log in the
/// client's store, and the credential of the bucket.
///
/// The context outlives it.
std::unique_ptr<env::DockerfileBuilder> CloudBuilderFor(const Context& context);

}  // namespace kinetic::job
