#include "job/images/registries.h"

namespace kinetic::job {

Result<oci::Reference> ImageRepository(const Context& context) {
  const Profile& profile = context.options.profile;
  const std::string& name = profile.kubernetes.environment_images;
  const bool runs_images = context.target->container_images() != nullptr;
  if (runs_images && !name.empty()) return oci::ParseReference(name);
  return Fail(ErrorCode::kFailedPrecondition, "the target " + profile.name + " keeps no images",
              runs_images ? "set their repository: kinetic profile create " + profile.name +
                                " --set environment_images=REGISTRY/NAME"
                          : "choose a cluster with --target");
}

}  // namespace kinetic::job
