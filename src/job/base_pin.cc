#include "job/base_pin.h"

#include "base/deadline.h"
#include "base/try.h"
#include "env/find_image.h"
#include "job/image_registries.h"

#include <chrono>
#include <optional>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::chrono::milliseconds kPatience{5000};

Result<std::optional<Digest>> Ask(const Context& context, const std::string& image,
                                  std::stop_token stop) {
  ImageRegistries registries(context);
  KINETIC_ASSIGN_OR_RETURN(const env::ImageName name, env::ParseImageName(image));
  KINETIC_ASSIGN_OR_RETURN(const auto* repository, registries.OpenToRead(name.repository));
  return repository->FindManifest(name.manifest, std::move(stop));
}

}  // namespace

std::string FindBaseDigest(const Context& context, const target::BaseImage& base,
                           Observer* observer, const std::stop_token& stop) {
  const std::size_t at = base.image.find('@');
  if (at != std::string::npos) return base.image.substr(at + 1);
  const Deadline deadline(kPatience, stop);
  const auto digest = Ask(context, base.image, deadline.token());
  if (digest && *digest) return oci::NameOf(**digest);
  if (observer != nullptr) {
    const std::string why = digest              ? "its registry does not have it"
                            : deadline.passed() ? "its registry did not answer in time"
                                                : digest.error().message;
    observer->OnOutput(Phase::kBuild, base.image + " is used as the nodes have it: " + why);
  }
  return {};
}

std::string PinnedBase(const target::BaseImage& base, const std::string& digest) {
  if (digest.empty() || base.image.find('@') != std::string::npos) return base.image;
  return base.image + "@" + digest;
}

}  // namespace kinetic::job
