#include "kinetic/try.h"

#include "base/strings.h"
#include "env/image/registry_images.h"
#include "env/image/stored_image.h"
#include "job/environment/make.h"
#include "job/images/commands.h"
#include "job/images/registries.h"
#include "job/submit/pipeline.h"

#include <string>
#include <utility>

namespace kinetic::job {
namespace {

/// Returns the image: a tag in the profile's repository, or any image by its full name.
Result<env::ImageName> ResolveImageName(const Context& context, std::string_view image) {
  if (image.find('/') != std::string_view::npos) return env::ParseImageName(image);
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference place, ImageRepository(context));
  return env::ParseImageName(place.Text() + ":" + std::string(image));
}

}  // namespace

Result<ImageContents> ReadImageContents(Context& context, std::string_view image,
                                        std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const env::ImageName name, ResolveImageName(context, image));
  ImageRegistries registries(context);
  KINETIC_ASSIGN_OR_RETURN(const auto* repository, registries.OpenToRead(name.repository));
  KINETIC_ASSIGN_OR_RETURN(auto stored,
                           env::ReadStoredImage(*repository, name.manifest, std::move(stop)));
  const std::string where = repository->Text();
  if (!stored) {
    return Fail(ErrorCode::kNotFound,
                "no kinetic image is named " + Printable(name.manifest) + " in " + where,
                "list the profile's images with 'kinetic image ls'");
  }
  // The packages of an image from a job's own Dockerfile are unknown.
  const bool is_of_packages = !stored->python.empty();
  if (!stored->locked || !is_of_packages) {
    return Fail(ErrorCode::kFailedPrecondition,
                "the image " + Printable(image) + " has no list of its packages",
                is_of_packages ? "an older version of kinetic built it: pass the job file instead, "
                                 "or remove the image and build it again"
                               : "it was built from a job's own Dockerfile");
  }
  ImageContents contents;
  contents.name = oci::ParseDigest(name.manifest) ? where : where + ":" + name.manifest;
  contents.name += "@" + oci::DigestString(stored->digest);
  contents.python = std::move(stored->python);
  contents.accelerator = std::move(stored->category);
  contents.base = std::move(stored->base);
  contents.base_digest = std::move(stored->base_digest);
  contents.packages = env::ToPublic(*stored->locked);
  return contents;
}

Result<ImageContents> ReadImageContents(Context& context, const JobSpec& spec,
                                        std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(auto environment, InspectEnvironment(context, spec, stop));
  if (!environment.manifest) {
    return Fail(ErrorCode::kFailedPrecondition,
                "job " + spec.name + " has no packages: nothing to compare",
                "set 'dependencies' to the file that lists them");
  }
  KINETIC_RETURN_IF_ERROR(FindJobLock(context, environment, std::move(stop)));
  if (!environment.lock) {
    return Fail(ErrorCode::kFailedPrecondition,
                "there is no lock for the dependencies of job " + spec.name,
                "create one with 'kinetic lock'");
  }
  const env::Lock& lock = environment.lock->lock;
  ImageContents contents;
  contents.name = spec.name;
  contents.python = lock.python;
  contents.accelerator = environment.manifest->accelerator;
  if (environment.base) contents.base = environment.base->image;
  contents.packages = env::ToPublic(lock.packages);
  return contents;
}

}  // namespace kinetic::job
