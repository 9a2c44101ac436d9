#include "env/image/registry_images.h"

#include "kinetic/try.h"

#include "env/image/stored_image.h"
#include "env/python/target_platform.h"

#include <fmt/format.h>

#include <utility>

namespace kinetic::env {

Result<ImageName> ParseImageName(std::string_view text) {
  const std::size_t at = text.find('@');
  ImageName name;
  KINETIC_ASSIGN_OR_RETURN(name.repository, oci::ParseReference(text.substr(0, at)));
  if (at != std::string_view::npos) {
    name.manifest = text.substr(at + 1);
  } else {
    name.manifest = name.repository.tag.empty() ? "latest" : name.repository.tag;
  }
  return name;
}

Result<std::optional<ReadyEnvironment>> FindImage(const Lock& lock, const ImageNaming& naming,
                                                  ImageRegistries& registries,
                                                  std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference name, oci::ParseReference(naming.repository));
  KINETIC_ASSIGN_OR_RETURN(const auto* repository, registries.OpenToRead(name));
  KINETIC_ASSIGN_OR_RETURN(const auto stored,
                           ReadStoredImage(*repository, ImageTag(lock, naming), std::move(stop)));
  // The twelve digits may belong to another image, which is then replaced under the same tag.
  if (!stored || stored->key != ImageKey(lock, naming).Hex()) {
    return std::optional<ReadyEnvironment>();
  }
  return std::optional(EnvironmentInImage(lock, naming, stored->digest, false));
}

ReadyEnvironment EnvironmentInImage(const Lock& lock, const ImageNaming& naming,
                                    const Digest& digest, bool built) {
  const Path root = naming.prefix;
  ReadyEnvironment ready{lock.EnvironmentId().Hex(), root, root / "bin/python", built};
  ready.image =
      fmt::format("{}:{}@{}", naming.repository, ImageTag(lock, naming), oci::DigestString(digest));
  return ready;
}

Result<RegistryBaseImage> FindBaseImage(const Lock& lock, const ImageNaming& naming,
                                        ImageRegistries& registries, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(ImageName name, ParseImageName(naming.base));
  if (!lock.base_image.empty()) name.manifest = lock.base_image;
  KINETIC_ASSIGN_OR_RETURN(const oci::Repository* repository,
                           registries.OpenToRead(name.repository));
  KINETIC_ASSIGN_OR_RETURN(const auto platform, TargetPlatform::For(lock.python, lock.platform));
  auto image =
      oci::ReadRegistryImage(*repository, name.manifest, platform.Architecture(), std::move(stop));
  if (!image) return Failure(std::move(image).error().Context("cannot read the base image"));
  return RegistryBaseImage{repository, *std::move(image), naming.base};
}

}  // namespace kinetic::env
