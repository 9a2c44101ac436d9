#pragma once

#include "env/dockerfile_builder.h"
#include "job/context.h"

#include <memory>

namespace kinetic::job {

/// Who makes images from Dockerfiles for a client, as its profile says: Google's Cloud Build, or a
/// container engine of this machine, which is shown the logins that kinetic itself has.
///
/// The context outlives it.
std::unique_ptr<env::DockerfileBuilder> DockerfileBuilderFor(const Context& context);

}  // namespace kinetic::job
