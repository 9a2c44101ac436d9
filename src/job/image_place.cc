#include "job/image_place.h"

namespace kinetic::job {

Result<oci::Reference> ImagePlace(const Context& context) {
  const Profile& profile = context.options.profile;
  const std::string& name = profile.kubernetes.environment_images;
  if (profile.kind != TargetKind::kLocal && !name.empty()) return oci::ParseReference(name);
  return Fail(ErrorCode::kFailedPrecondition, "the target " + profile.name + " keeps no images",
              profile.kind == TargetKind::kLocal
                  ? "choose a cluster with --target"
                  : "name their place: kinetic profile create " + profile.name +
                        " --set environment_images=REGISTRY/NAME");
}

}  // namespace kinetic::job
