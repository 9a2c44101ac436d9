#pragma once

#include "env/dockerfile/builder.h"
#include "job/context.h"

#include <memory>

namespace kinetic::job {

/// Returns a builder that uses Cloud Build in the profile's project. Source and log are in the
/// client's store, and requests use the bucket's credential.
///
/// The context must outlive the builder.
std::unique_ptr<env::DockerfileBuilder> CloudBuilderFor(const Context& context);

}  // namespace kinetic::job
