#include "kinetic/image.h"
#include "kinetic/try.h"
#include "kinetic/version.h"

#include "connect/registry.h"
#include "oci/build/image.h"
#include "oci/layer/writer.h"

#include <string>
#include <utility>

namespace kinetic {
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

Result<PushedImage> PushRunnerImage(const RunnerImageRequest& request,
                                    const RegistryOptions& options, std::stop_token stop) {
  FileSystem& fs = PosixFileSystem();
  KINETIC_ASSIGN_OR_RETURN(oci::Reference name, ReferenceOf(request.name));
  const connect::Dependencies deps{.fs = fs, .clock = SystemClock(), .log = options.log};
  KINETIC_ASSIGN_OR_RETURN(const auto registry,
                           connect::RegistryConnection::Open(name, options, deps));
  KINETIC_ASSIGN_OR_RETURN(const oci::ImageSpec image, oci::RunnerImageSpec(fs, request));
  KINETIC_ASSIGN_OR_RETURN(const TempDir scratch,
                           oci::MakeScratchFolder(fs, SystemClock(), options.scratch));
  const oci::ImageBuildOptions build_options{std::move(name), std::string(Version()),
                                             request.compression};
  KINETIC_ASSIGN_OR_RETURN(
      const oci::BuiltImage built,
      oci::BuildImage(fs, image, build_options, scratch.path() / "layout", stop));
  KINETIC_ASSIGN_OR_RETURN(const oci::PushReport report,
                           oci::PushImage(fs, built, registry->repository(), std::move(stop)));
  PushedImage pushed{.image = built.ToWrittenImage(),
                     .reference = {},
                     .sent_bytes = report.sent_bytes,
                     .present_bytes = report.present_bytes};
  pushed.reference = pushed.image.name + "@" + pushed.image.digest;
  return pushed;
}

}  // namespace kinetic
