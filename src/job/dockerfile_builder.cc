#include "job/dockerfile_builder.h"

#include "job/cloud_builder.h"

namespace kinetic::job {

std::unique_ptr<env::DockerfileBuilder> DockerfileBuilderFor(const Context& context) {
  return CloudBuilderFor(context);
}

}  // namespace kinetic::job
