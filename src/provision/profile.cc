#include "provision/profile.h"

namespace kinetic::provision {

Profile ProfileOf(const Scope& scope, const std::string& runner_image) {
  Profile profile;
  profile.name = scope.name;
  profile.kind = TargetKind::kGke;
  profile.store = scope.Store();
  profile.kubernetes.project = scope.project;
  profile.kubernetes.location = scope.zone;
  profile.kubernetes.cluster = scope.name;
  profile.kubernetes.dns_endpoint = scope.endpoint == Endpoint::kDns;
  profile.kubernetes.private_endpoint = scope.endpoint == Endpoint::kPrivate;
  profile.kubernetes.name_space = scope.name_space;
  profile.kubernetes.service_account = scope.JobsAccount();
  profile.kubernetes.runner_image = runner_image;
  const std::size_t end = runner_image.rfind("/runner:");
  if (end != std::string::npos) {
    profile.kubernetes.environment_images = runner_image.substr(0, end) + "/packages";
  }
  return profile;
}

}  // namespace kinetic::provision
