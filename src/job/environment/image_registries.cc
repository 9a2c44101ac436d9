#include "job/environment/image_registries.h"

#include "kinetic/try.h"

#include "local/process_identity.h"

#include <string>
#include <string_view>
#include <utility>

namespace kinetic::job {
namespace {

bool IsClientDead(std::string_view client) {
  const auto other = local::SupervisorIdentityFromJson(client);
  const auto self = local::IdentifyThisProcess("");
  return other && self && other->boot_id == self->boot_id && !local::IsAlive(*other);
}

}  // namespace

RegistryOptions RegistryOptionsOf(const Context& context) {
  RegistryOptions options;
  options.docker_config = context.options.docker_config;
  options.search_path = context.options.search_path;
  options.environment = context.options.environment;
  options.plain_http = context.options.profile.kubernetes.plain_registries;
  options.cloud = context.options.cloud;
  options.log = context.options.log;
  return options;
}

Result<const oci::Repository*> ImageRegistries::OpenToRead(const oci::Reference& image) {
  return Open(image, {.read_only = true, .other_repositories = {}});
}

Result<const oci::Repository*> ImageRegistries::OpenToWrite(
    const oci::Reference& image, const std::vector<std::string>& mounted_from) {
  return Open(image, {.read_only = false, .other_repositories = mounted_from});
}

Result<const oci::Repository*> ImageRegistries::Open(const oci::Reference& image,
                                                     const connect::RegistryAccess& use) {
  auto& connection =
      open_[image.registry + "/" + image.repository + (use.read_only ? " read" : " write")];
  if (!connection) {
    KINETIC_ASSIGN_OR_RETURN(
        connection,
        connect::RegistryConnection::Open(
            image, RegistryOptionsOf(context_),
            {.fs = context_.fs, .clock = context_.clock, .log = context_.options.log}, use));
  }
  return &connection->repository();
}

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

store::AdvisoryLease::Client LeaseClient() {
  const auto self = local::IdentifyThisProcess("");
  return {
      .name = self ? local::ToJson(*self) : std::string(), .is_dead = IsClientDead, .on_wait = {}};
}

}  // namespace kinetic::job
