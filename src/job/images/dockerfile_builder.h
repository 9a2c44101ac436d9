#pragma once

#include "env/dockerfile/builder.h"
#include "job/context.h"

#include <memory>

namespace kinetic::job {

/// Returns the builder for the image of a job's own Dockerfile, as the profile's `container_engine`
/// specifies: Cloud Build, or a local engine with kinetic's logins. The context must outlive it.
std::unique_ptr<env::DockerfileBuilder> DockerfileBuilderFor(const Context& context);

}  // namespace kinetic::job
