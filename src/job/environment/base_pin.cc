#include "kinetic/try.h"

#include "base/time/clock.h"
#include "env/image/registry_images.h"
#include "http/last_cause.h"
#include "job/environment/image_registries.h"
#include "job/environment/job_environment.h"

#include <chrono>
#include <optional>
#include <utility>

namespace kinetic::job {
namespace {

constexpr std::chrono::milliseconds kRegistryTimeout{5000};

Result<std::optional<Digest>> FindDigest(const Context& context, const std::string& image,
                                         std::stop_token stop) {
  ImageRegistries registries(context);
  KINETIC_ASSIGN_OR_RETURN(const env::ImageName name, env::ParseImageName(image));
  KINETIC_ASSIGN_OR_RETURN(const auto* repository, registries.OpenToRead(name.repository));
  return repository->FindManifest(name.manifest, std::move(stop));
}

}  // namespace

std::string FindBaseDigest(const Context& context, const backend::BaseImage& base,
                           Observer* observer, const std::stop_token& stop) {
  const std::size_t at = base.image.find('@');
  if (at != std::string::npos) return base.image.substr(at + 1);
  const Deadline deadline(kRegistryTimeout, stop);
  const auto digest = FindDigest(context, base.image, deadline.token());
  if (digest && *digest) return oci::DigestString(**digest);
  if (observer != nullptr) {
    const std::string why = digest               ? "its registry does not contain the image"
                            : deadline.expired() ? "its registry did not respond in time" +
                                                       http::CauseSuffix(digest.error())
                                                 : digest.error().message;
    observer->OnOutput(Phase::kBuild, "using " + base.image + " without a digest: " + why);
  }
  return {};
}

std::string PinnedBase(const backend::BaseImage& base, const std::string& digest) {
  if (digest.empty() || base.image.find('@') != std::string::npos) return base.image;
  return base.image + "@" + digest;
}

}  // namespace kinetic::job
