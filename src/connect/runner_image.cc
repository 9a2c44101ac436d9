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

Result<RunnerImage> RunnerImage::Open(const RunnerImageRequest& request,
                                      const RegistryOptions& options) {
  FileSystem& fs = PosixFileSystem();
  KINETIC_ASSIGN_OR_RETURN(oci::Reference name, ReferenceOf(request.name));
  const Dependencies deps{.fs = fs, .clock = SystemClock(), .log = options.log};
  KINETIC_ASSIGN_OR_RETURN(auto registry, RegistryConnection::Open(name, options, deps));
  KINETIC_ASSIGN_OR_RETURN(oci::ImageSpec spec, oci::RunnerImageSpec(fs, request));
  oci::ImageBuildOptions build{std::move(name), std::string(Version()), request.compression};
  return RunnerImage(std::move(registry), std::move(spec), std::move(build), options.scratch);
}

Result<std::optional<std::string>> RunnerImage::Find(std::stop_token stop) const {
  oci::Reference name = build_.name;
  if (name.tag.empty()) {
    KINETIC_ASSIGN_OR_RETURN(name.tag,
                             oci::DefaultTag(PosixFileSystem(), spec_, build_.version, stop));
  }
  KINETIC_ASSIGN_OR_RETURN(const auto manifest,
                           registry_->repository().FindManifest(name.tag, std::move(stop)));
  if (!manifest) return std::nullopt;
  return name.Text() + "@" + oci::DigestString(*manifest);
}

Result<PushedImage> RunnerImage::Push(std::stop_token stop) const {
  FileSystem& fs = PosixFileSystem();
  KINETIC_ASSIGN_OR_RETURN(const TempDir folder,
                           oci::MakeScratchFolder(fs, SystemClock(), scratch_));
  KINETIC_ASSIGN_OR_RETURN(const oci::BuiltImage image,
                           oci::BuildImage(fs, spec_, build_, folder.path() / "layout", stop));
  KINETIC_ASSIGN_OR_RETURN(const oci::PushReport report,
                           oci::PushImage(fs, image, registry_->repository(), std::move(stop)));
  PushedImage pushed{.image = image.ToWrittenImage(),
                     .reference = {},
                     .sent_bytes = report.sent_bytes,
                     .present_bytes = report.present_bytes};
  pushed.reference = pushed.image.name + "@" + pushed.image.digest;
  return pushed;
}

}  // namespace kinetic::connect

namespace kinetic::inline v0 {

Result<PushedImage> PushRunnerImage(const RunnerImageRequest& request,
                                    const RegistryOptions& options, std::stop_token stop) {
  KINETIC_ASSIGN_OR_RETURN(const auto image, connect::RunnerImage::Open(request, options));
  return image.Push(std::move(stop));
}

}  // namespace kinetic::inline v0
