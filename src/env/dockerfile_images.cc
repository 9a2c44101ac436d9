#include "env/dockerfile_images.h"

#include "base/try.h"
#include "env/dockerfile.h"
#include "env/environment_folder.h"
#include "env/file_lock.h"
#include "env/find_image.h"
#include "env/target_platform.h"
#include "env/urls.h"
#include "oci/image_settings.h"
#include "oci/scratch.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

namespace kinetic::env {
namespace {

/// What the image below is, as far as it can be known.
struct KnownBase {
  std::string digest;  ///< "sha256:…"; empty: not known
  std::string user;
};

bool MayBeKnownToBuilder(const Error& error) {
  return error.code == ErrorCode::kUnavailable || error.code == ErrorCode::kUnauthenticated ||
         error.code == ErrorCode::kPermissionDenied || error.code == ErrorCode::kDeadlineExceeded;
}

class DockerfileImages final : public EnvironmentBuilder {
 public:
  explicit DockerfileImages(DockerfileImagesOptions options) : options_(std::move(options)) {}

  Result<std::optional<ReadyEnvironment>> Find(const Lock& lock, std::stop_token stop) override {
    return FindImage(lock, options_.naming, options_.registries, std::move(stop));
  }

  Result<ReadyEnvironment> Ensure(const Lock& lock, Observer* observer,
                                  std::stop_token stop) override {
    KINETIC_ASSIGN_OR_RETURN(auto found, Find(lock, stop));
    if (found) return *std::move(found);
    KINETIC_ASSIGN_OR_RETURN(const FileLock held, Hold(lock, observer, stop));
    KINETIC_ASSIGN_OR_RETURN(found, Find(lock, stop));
    if (found) return *std::move(found);
    KINETIC_ASSIGN_OR_RETURN(const KnownBase base, LookAtBase(lock, observer, stop));
    KINETIC_RETURN_IF_ERROR(Build(lock, base, observer, stop));
    KINETIC_ASSIGN_OR_RETURN(auto made, Find(lock, std::move(stop)));
    if (!made) {
      return Fail(
          ErrorCode::kAborted,
          fmt::format("{} was built and pushed, and another image is there now", Reference(lock)),
          "somebody pushes to the same tag, or what was built lost its labels");
    }
    made->built = true;
    return *std::move(made);
  }

 private:
  std::string Reference(const Lock& lock) const {
    return options_.naming.repository + ":" + ImageTag(lock, options_.naming);
  }

  /// To build takes minutes: one process of this machine does it.
  Result<FileLock> Hold(const Lock& lock, Observer* observer, const std::stop_token& stop) {
    const ToolOptions& tools = options_.tools;
    const Path file = EnvironmentFolder{tools.cache_dir}.LockFile(ImageTag(lock, options_.naming));
    KINETIC_RETURN_IF_ERROR(MakeDirectories(*tools.fs, file.parent_path()));
    const auto on_wait = [&] {
      if (observer == nullptr) return;
      observer->OnOutput(Phase::kBuild,
                         "waiting for another process that builds " + Reference(lock));
    };
    return FileLock::Wait(tools, file, on_wait, stop);
  }

  Result<KnownBase> LookAtBase(const Lock& lock, Observer* observer, const std::stop_token& stop) {
    const auto base = FindBase(lock, options_.naming, options_.registries, stop);
    if (!base && MayBeKnownToBuilder(base.error())) {
      if (observer != nullptr) {
        observer->OnWarning("the image is built upon what " + options_.naming.base +
                            " is to the builder: " + base.error().message);
      }
      return KnownBase{lock.base_image, {}};
    }
    KINETIC_RETURN_IF_ERROR(base);
    KINETIC_ASSIGN_OR_RETURN(const oci::ImageSettings settings, oci::SettingsOf(base->image));
    return KnownBase{oci::NameOf(base->image.digest), settings.user};
  }

  Status Build(const Lock& lock, const KnownBase& base, Observer* observer,
               const std::stop_token& stop) {
    FileSystem& fs = *options_.tools.fs;
    KINETIC_ASSIGN_OR_RETURN(const Dockerfile dockerfile,
                             MakeDockerfile(lock, {.private_urls = options_.private_urls,
                                                   .naming = options_.naming,
                                                   .base_digest = base.digest,
                                                   .user = base.user}));
    KINETIC_ASSIGN_OR_RETURN(const TempDir scratch,
                             oci::MakeScratch(fs, *options_.tools.clock,
                                              options_.tools.cache_dir / kImageScratchFolder));
    KINETIC_RETURN_IF_ERROR(WriteContext(fs, dockerfile, scratch.path()));
    KINETIC_ASSIGN_OR_RETURN(const auto platform, TargetPlatform::For(lock.python, lock.platform));
    KINETIC_ASSIGN_OR_RETURN(const ImageName below, ParseImageName(options_.naming.base));
    ImageOrder order;
    order.context = scratch.path();
    order.dockerfile = scratch.path() / kContextDockerfile;
    order.reference = Reference(lock);
    order.platform = "linux/" + platform.Architecture();
    order.pulled_from = {below.repository.registry};
    order.plain = options_.plain_registries;
    if (!dockerfile.secret.empty()) order.secrets[std::string(kUrlsSecret)] = dockerfile.secret;
    order.hidden = SecretsOf(options_.private_urls);
    return options_.builder.Build(order, observer, stop);
  }

  const DockerfileImagesOptions options_;
};

}  // namespace

std::unique_ptr<EnvironmentBuilder> MakeDockerfileImagesBuilder(DockerfileImagesOptions options) {
  return std::make_unique<DockerfileImages>(std::move(options));
}

}  // namespace kinetic::env
