#include "env/image/stored_image.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "oci/registry/remote_image.h"

#include <algorithm>
#include <utility>

namespace kinetic::env {

Result<std::optional<StoredImage>> ParseStoredImage(const oci::RegistryImage& image,
                                                    const std::string& tag) {
  KINETIC_ASSIGN_OR_RETURN(const oci::ImageSettings settings, oci::ReadImageSettings(image));
  StoredImage stored;
  stored.key = settings.Label(kImageKeyLabel);
  if (stored.key.empty()) return std::optional<StoredImage>();
  stored.tag = tag;
  stored.digest = image.digest;
  stored.base = settings.Label(kBaseNameLabel);
  stored.base_digest = settings.Label(kBaseDigestLabel);
  stored.python = settings.Label(kImagePythonLabel);
  const auto packages = ParseInt(settings.Label(kImagePackagesLabel));
  stored.packages = static_cast<std::uint64_t>(std::max<std::int64_t>(packages.value_or(0), 0));
  for (const auto& layer : image.layers) stored.size_bytes += layer.size_bytes;
  return std::optional(std::move(stored));
}

Result<std::optional<StoredImage>> ReadStoredImage(const oci::Repository& repository,
                                                   const std::string& tag, std::stop_token stop) {
  const auto image = oci::ReadRegistryImage(repository, tag, "amd64", std::move(stop));
  if (!image && image.error().code == ErrorCode::kNotFound) return std::optional<StoredImage>();
  KINETIC_RETURN_IF_ERROR(image);
  return ParseStoredImage(*image, tag);
}

std::string TagFromReference(std::string_view image) {
  const std::string_view name = image.substr(0, image.find('@'));
  return std::string(name.substr(name.rfind(':') + 1));
}

}  // namespace kinetic::env
