#include "env/image/stored_image.h"
#include "env/install/package.h"

#include <fmt/format.h>

#include <string_view>

namespace kinetic::env {
namespace {

/// Changes when the same lock produces another image.
constexpr std::string_view kImageFormat = "1";

}  // namespace

Digest ImageKey(const Lock& lock, const ImageNaming& naming) {
  Sha256 hash;
  hash.Update(fmt::format("image {}\n{}\n", kImageFormat, naming.base));
  hash.Update(lock.EnvironmentId().View());
  for (const auto& package : lock.packages) {
    hash.Update(WheelKey(lock, package, naming.prefix).View());
  }
  return hash.Finish();
}

std::string ImageTag(const Lock& lock, const ImageNaming& naming) {
  constexpr std::size_t kShownDigits = 12;
  return naming.category + "-" + ImageKey(lock, naming).Hex().substr(0, kShownDigits);
}

std::map<std::string, std::string> ImageLabels(const Lock& lock, const ImageNaming& naming,
                                               const std::string& base_digest) {
  std::map<std::string, std::string> labels{
      {std::string(kImageKeyLabel), ImageKey(lock, naming).Hex()},
      {std::string(kImagePythonLabel), lock.python},
      {std::string(kImageCategoryLabel), naming.category},
      {std::string(kImagePackagesLabel), std::to_string(lock.packages.size())},
      {std::string(kBaseNameLabel), naming.base}};
  if (!base_digest.empty()) labels[std::string(kBaseDigestLabel)] = base_digest;
  return labels;
}

std::map<std::string, std::string> ImageVariables(const ImageNaming& naming,
                                                  const std::string& search_path) {
  return {{"PATH", naming.prefix + "/bin" + (search_path.empty() ? "" : ":" + search_path)},
          {"VIRTUAL_ENV", naming.prefix}};
}

}  // namespace kinetic::env
