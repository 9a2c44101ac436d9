#include "connect/runner_image.h"

#include "kinetic/try.h"
#include "kinetic/version.h"

#include "oci/layer/writer.h"

#include <string>
#include <utility>

namespace kinetic::connect {
namespace {

/// Rejects short names: they refer to Docker's official images, which users cannot push.
Result<oci::Reference> ReferenceOf(const std::string& name) {
  KINETIC_ASSIGN_OR_RETURN(oci::Reference reference, oci::ParseReference(name));
  if (reference.registry != "docker.io" || !reference.repository.starts_with("library/")) {
    return reference;
  }
  return Fail(ErrorCode::kInvalidArgument,
              "image name '" + name + "' has no registry to push the image to",
              "add the registry, for example localhost:5000/kinetic-runner");
}

}  // namespace

Result<PreparedRunnerImage> PreparedRunnerImage::Build(const RunnerImageRequest& request,
                                                       const RegistryOptions& options,
                                                       std::stop_token stop) {
  FileSystem& fs = PosixFileSystem();
  KINETIC_ASSIGN_OR_RETURN(oci::Reference name, ReferenceOf(request.name));
  const Dependencies deps{.fs = fs, .clock = SystemClock(), .log = options.log};
  KINETIC_ASSIGN_OR_RETURN(auto registry, RegistryConnection::Open(name, options, deps));
  KINETIC_ASSIGN_OR_RETURN(const oci::ImageSpec image, oci::RunnerImageSpec(fs, request));
  KINETIC_ASSIGN_OR_RETURN(TempDir scratch,
                           oci::MakeScratchFolder(fs, SystemClock(), options.scratch));
  const oci::ImageBuildOptions build_options{std::move(name), std::string(Version()),
                                             request.compression};
  KINETIC_ASSIGN_OR_RETURN(oci::BuiltImage built, oci::BuildImage(fs, image, build_options,
                                                                  scratch.path() / "layout", stop));
  return PreparedRunnerImage(std::move(registry), std::move(scratch), std::move(built));
}

Result<bool> PreparedRunnerImage::IsPushed(std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(const auto manifest,
                           registry_->repository().FindManifest(image_.name.tag, std::move(stop)));
  return manifest.has_value();
}

Result<PushedImage> PreparedRunnerImage::Push(std::stop_token stop) const {
  KINETIC_ASSIGN_OR_RETURN(
      const oci::PushReport report,
      oci::PushImage(PosixFileSystem(), image_, registry_->repository(), std::move(stop)));
  return PushedImage{.image = image_.ToWrittenImage(),
                     .reference = Reference(),
                     .sent_bytes = report.sent_bytes,
                     .present_bytes = report.present_bytes};
}

std::string PreparedRunnerImage::Reference() const {
  const WrittenImage image = image_.ToWrittenImage();
  return image.name + "@" + image.digest;
}

}  // namespace kinetic::connect

namespace kinetic {

Result<PushedImage> PushRunnerImage(const RunnerImageRequest& request,
                                    const RegistryOptions& options, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto image,
                           connect::PreparedRunnerImage::Build(request, options, stop));
  return image.Push(std::move(stop));
}

}  // namespace kinetic
