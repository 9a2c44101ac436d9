#include "job/images/registries.h"

namespace kinetic::job {

Result<oci::Reference> ImageRepository(const Context& context) {
  const Profile& profile = context.options.profile;
  const std::string& name = profile.kubernetes.environment_images;
  const bool runs_images = context.target->container_images() != nullptr;
  if (runs_images && !name.empty()) return oci::ParseReference(name);
  return Fail(ErrorCode::kFailedPrecondition, "target " + profile.name + " has no image repository",
              runs_images ? "set one: kinetic profile create " + profile.name +
                                " --set environment_images=REGISTRY/NAME"
                          : "choose a cluster with --target");
}

}  // namespace kinetic::job
