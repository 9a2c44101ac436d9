#include "job/image_commands.h"

#include "kinetic/try.h"

#include "base/strings.h"
#include "env/image/stored_image.h"
#include "job/environment/builder.h"
#include "job/environment/image_registries.h"
#include "job/images/job_dockerfile.h"
#include "job/phase_log.h"
#include "job/submit/pipeline.h"
#include "job/submit/prepare.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace kinetic::job {
namespace {

EnvironmentImage ToPublic(const oci::Reference& place, env::StoredImage image) {
  EnvironmentImage shown;
  shown.reference = place.Text() + ":" + image.tag + "@" + oci::DigestString(image.digest);
  shown.tag = std::move(image.tag);
  shown.key = std::move(image.key);
  shown.base = std::move(image.base);
  shown.base_digest = std::move(image.base_digest);
  shown.python = std::move(image.python);
  shown.packages = image.packages;
  shown.size_bytes = image.size_bytes;
  return shown;
}

/// Returns the environment of an image to build, with its lock.
Result<JobEnvironment> LockForImage(Context& context, const JobSpec& spec,
                                    const LockRequest& request, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(auto environment, InspectEnvironment(context, spec, stop));
  if (!environment.manifest) {
    return Fail(ErrorCode::kFailedPrecondition,
                environment.left_out.empty()
                    ? "the job has no dependencies: no image is needed"
                    : "the job sets its own image, which is used unchanged",
                environment.left_out.empty() ? "set 'dependencies' to the file that lists them"
                                             : "remove 'image:' from the job file");
  }
  KINETIC_RETURN_IF_ERROR(LockEnvironment(context, environment, request, stop));
  return environment;
}

Result<DockerfileImage> BuildFromDockerfile(Context& context, const JobSpec& spec,
                                            const LockRequest& request,
                                            const std::stop_token& stop) {
  KINETIC_RETURN_IF_ERROR(CheckLimitations(*context.target, spec, request.observer));
  const auto base = BaseImageOf(context, spec);
  KINETIC_ASSIGN_OR_RETURN(const JobDockerfile own, ReadJobDockerfile(context, spec, *base, stop));
  if (!own.warning.empty()) request.observer->OnWarning(own.warning);
  return BuildDockerfileImage(context, own, request, stop);
}

Result<DockerfileImage> BuildFromPackages(Context& context, const JobSpec& spec,
                                          const LockRequest& request, const std::stop_token& stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto environment, LockForImage(context, spec, request, stop));
  const auto builder = ImageBuilderFor(context, environment);
  KINETIC_ASSIGN_OR_RETURN(const auto ready,
                           builder->Ensure(environment.lock->lock, request.observer, stop));
  return DockerfileImage{ready.image, ready.built};
}

}  // namespace

Result<EnvironmentImage> BuildImage(Context& context, const JobSpec& spec,
                                    const LockRequest& request, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference place, ImageRepository(context));
  PhaseLog observer(context, request.observer);
  observer.OnPhaseBegin(Phase::kBuild, place.Text());
  const LockRequest observed{
      .locked = request.locked, .relock = request.relock, .observer = &observer};
  KINETIC_ASSIGN_OR_RETURN(const DockerfileImage ready,
                           HasDockerfile(spec) ? BuildFromDockerfile(context, spec, observed, stop)
                                               : BuildFromPackages(context, spec, observed, stop));
  observer.OnPhaseEnd(Phase::kBuild, ready.built ? "built" : "unchanged");
  ImageRegistries registries(context);
  KINETIC_ASSIGN_OR_RETURN(const auto* repository, registries.OpenToRead(place));
  const std::string tag = env::TagFromReference(ready.image);
  KINETIC_ASSIGN_OR_RETURN(const auto stored,
                           env::ReadStoredImage(*repository, tag, std::move(stop)));
  if (!stored) return Fail(ErrorCode::kAborted, "the image was removed while it was built");
  EnvironmentImage made = ToPublic(place, *stored);
  made.built = ready.built;
  return made;
}

Result<std::vector<EnvironmentImage>> ListImages(Context& context, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference place, ImageRepository(context));
  ImageRegistries registries(context);
  KINETIC_ASSIGN_OR_RETURN(const auto* repository, registries.OpenToRead(place));
  auto tags = repository->ListTags(stop);
  // A repository is created when the first image is pushed.
  if (!tags && tags.error().code == ErrorCode::kNotFound) return std::vector<EnvironmentImage>();
  KINETIC_RETURN_IF_ERROR(tags);
  std::sort(tags->begin(), tags->end());
  std::vector<EnvironmentImage> images;
  for (const auto& tag : *tags) {
    KINETIC_ASSIGN_OR_RETURN(auto stored, env::ReadStoredImage(*repository, tag, stop));
    if (stored) images.push_back(ToPublic(place, *std::move(stored)));
  }
  return images;
}

Result<std::vector<EnvironmentImage>> RemoveImages(Context& context,
                                                   const std::vector<std::string>& tags,
                                                   std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const oci::Reference place, ImageRepository(context));
  ImageRegistries registries(context);
  KINETIC_ASSIGN_OR_RETURN(const auto* repository, registries.OpenToWrite(place, {}));
  std::vector<EnvironmentImage> removed;
  std::set<std::string> manifests;  // several tags may have one
  for (const std::string& tag : tags) {
    KINETIC_ASSIGN_OR_RETURN(auto stored, env::ReadStoredImage(*repository, tag, stop));
    if (!stored) {
      return Fail(ErrorCode::kNotFound,
                  "no kinetic image is tagged " + Printable(tag) + " in " + place.Text(),
                  "list images with 'kinetic image ls'");
    }
    manifests.insert(oci::DigestString(stored->digest));
    removed.push_back(ToPublic(place, *std::move(stored)));
  }
  for (const std::string& manifest : manifests) {
    KINETIC_RETURN_IF_ERROR(repository->RemoveManifest(manifest, stop));
  }
  return removed;
}

}  // namespace kinetic::job
